"""The hinge loss solved exactly: an interior point, and the path of the 1-norm SVM."""
