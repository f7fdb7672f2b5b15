"""The built-in methods and base learners by their short names."""

from typing import Any

_FAMILIES: dict[str, dict[str, str]] = {
    "problem_transformation": {
        "br": "br:BinaryRelevance",
        "lp": "lp:LabelPowerset",
        "rakel": "rakel:RAkEL",
        "ecc": "ecc:EnsembleOfClassifierChains",
        "homer": "homer:HOMER",
        "mlcssp": "mlcssp:MLCSSP",
    },
    "adaptation": {
        "mlknn": "mlknn:MLkNN",
        "adaboost_mh": "adaboost_mh:AdaBoostMH",
        "insdif": "insdif:InsDif",
    },
    "lspc": {
        "lspc": "lspc:LSPC",
        "mt_lspc": "multi_task:MultiTaskLSPC",
        "mt_lspc_pair": "multi_task:PairwiseMultiTaskLSPC",
        "ml_lspc": "ml_lspc:MultiLabelLSPC",
    },
    "svm": {
        "svm_ovr": "svm_ovr:SVMOneVsRest",
        "rbf_svm": "rbf_svm:RBFSVM",
    },
    "projection": {
        "lda_svm": "lda_svm:LDASVM",
        "hsml": "hsml:HSML",
        "opls_ls": "least_squares:OPLSLS",
        "cca_ls": "least_squares:CCALS",
        "cca_svm": "least_squares:CCASVM",
        "lda_ls": "least_squares:LDALS",
    },
    "mtsda": {
        "mtsda_i": "mtsda:MtSDAIdentity",
        "mtsda_eq": "mtsda:MtSDAEquicorrelation",
    },
    "multitask": {
        "smtl": "smtl:SMTL",
        "mtl_cls": "mtl_cls:MTLCLS",
        "mtl_reg": "mtl_reg:MTLReg",
        "struct_svm": "struct_svm:StructSVM",
    },
    "mlsvm": {
        "mlsvm_t_l1": "mlsvm:MLSVMTL1",
        "mlsvm_f_l1": "mlsvm:MLSVMFL1",
        "mlsvm_t_l2": "mlsvm:MLSVMTL2",
        "mlsvm_f_l2": "mlsvm:MLSVMFL2",
    },
    "kernel_projection": {
        "morp_svm": "gaussian:MORPSVM",
        "morp_linear": "morp:LinearMORPSVM",
        "kcca_svm": "gaussian:KCCASVM",
        "kpca_svm": "gaussian:KPCASVM",
    },
}

METHODS: dict[str, str] = {
    name: f"mlbench.methods.{family}.{target}"
    for family, members in _FAMILIES.items()
    for name, target in members.items()
}
"""The built-in methods: short name -> ``module:Class``."""

BASE_LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "logistic": ("sklearn.linear_model:LogisticRegression", {"max_iter": 1000}),
    "ridge": ("sklearn.linear_model:RidgeClassifier", {}),
    "linear_svc": ("sklearn.svm:LinearSVC", {}),
    "svc": ("sklearn.svm:SVC", {}),
    "tree": ("sklearn.tree:DecisionTreeClassifier", {"min_samples_leaf": 2}),
    "forest": ("sklearn.ensemble:RandomForestClassifier", {}),
    "gradient_boosting": ("sklearn.ensemble:HistGradientBoostingClassifier", {}),
    "naive_bayes": ("sklearn.naive_bayes:GaussianNB", {}),
    "multinomial_nb": ("sklearn.naive_bayes:MultinomialNB", {}),
    "knn": ("sklearn.neighbors:KNeighborsClassifier", {}),
}
"""The built-in classifiers for one label: short name -> ``module:Class``, and the parameters that
differ from the class's own defaults.

``tree`` asks for two examples a leaf, as C4.5 does by default.
"""
