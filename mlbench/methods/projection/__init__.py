"""Linear projections of the inputs: CCA, OPLS, LDA, hypergraph spectral learning."""
