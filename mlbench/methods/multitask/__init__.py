"""Linear models that tie several labels or tasks together: SMTL, MTL-CLS, MTL-REG, StructSVM."""
