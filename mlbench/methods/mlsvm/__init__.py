"""Joint dimensionality reduction and classification by support vector machines (Ji & Ye)."""
