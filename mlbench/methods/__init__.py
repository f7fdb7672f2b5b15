"""Methods: scikit-learn style estimators for many labels or many tasks, and how to find them.

Importing this package is cheap; a method's module is imported when the method is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

METHODS: dict[str, str] = {
    "br": "mlbench.methods.br:BinaryRelevance",
    "lp": "mlbench.methods.lp:LabelPowerset",
    "rakel": "mlbench.methods.rakel:RAkEL",
    "ecc": "mlbench.methods.ecc:EnsembleOfClassifierChains",
    "homer": "mlbench.methods.homer:HOMER",
    "mlknn": "mlbench.methods.mlknn:MLkNN",
    "adaboost_mh": "mlbench.methods.adaboost_mh:AdaBoostMH",
    "insdif": "mlbench.methods.insdif:InsDif",
    "mlcssp": "mlbench.methods.mlcssp:MLCSSP",
    "lspc": "mlbench.methods.lspc:LSPC",
    "mt_lspc": "mlbench.methods.mt_lspc:MultiTaskLSPC",
    "mt_lspc_pair": "mlbench.methods.mt_lspc:PairwiseMultiTaskLSPC",
    "ml_lspc": "mlbench.methods.ml_lspc:MultiLabelLSPC",
    "svm_ovr": "mlbench.methods.svm_ovr:SVMOneVsRest",
    "lda_svm": "mlbench.methods.lda_svm:LDASVM",
    "hsml": "mlbench.methods.hsml:HSML",
    "opls_ls": "mlbench.methods.opls_ls:OPLSLS",
    "cca_ls": "mlbench.methods.cca:CCALS",
    "cca_svm": "mlbench.methods.cca:CCASVM",
    "lda_ls": "mlbench.methods.lda_ls:LDALS",
    "mtsda_i": "mlbench.methods.mtsda:MtSDAIdentity",
    "mtsda_eq": "mlbench.methods.mtsda:MtSDAEquicorrelation",
    "smtl": "mlbench.methods.smtl:SMTL",
    "mtl_cls": "mlbench.methods.mtl_cls:MTLCLS",
    "mtl_reg": "mlbench.methods.mtl_reg:MTLReg",
    "struct_svm": "mlbench.methods.struct_svm:StructSVM",
    "mlsvm_t_l1": "mlbench.methods.mlsvm:MLSVMTL1",
    "mlsvm_f_l1": "mlbench.methods.mlsvm:MLSVMFL1",
    "mlsvm_t_l2": "mlbench.methods.mlsvm:MLSVMTL2",
    "mlsvm_f_l2": "mlbench.methods.mlsvm:MLSVMFL2",
    "morp_svm": "mlbench.methods.morp_svm:MORPSVM",
    "morp_linear": "mlbench.methods.morp_linear:LinearMORPSVM",
    "kcca_svm": "mlbench.methods.kcca_svm:KCCASVM",
    "kpca_svm": "mlbench.methods.kpca_svm:KPCASVM",
    "rbf_svm": "mlbench.methods.rbf_svm:RBFSVM",
}
"""The built-in methods: short name -> ``module:Class``."""

if TYPE_CHECKING:
    from mlbench.methods.adapter import InvalidOutput as InvalidOutput
    from mlbench.methods.adapter import fit as fit
    from mlbench.methods.adapter import fit_path as fit_path
    from mlbench.methods.adapter import outputs as outputs
    from mlbench.methods.fingerprint import code_fingerprint as code_fingerprint
    from mlbench.methods.registry import make_method as make_method
    from mlbench.methods.registry import method_names as method_names
    from mlbench.methods.registry import method_parameters as method_parameters
    from mlbench.methods.registry import resolve as resolve
    from mlbench.methods.registry import set_seed as set_seed

_HOME = {
    "InvalidOutput": "adapter",
    "fit": "adapter",
    "fit_path": "adapter",
    "outputs": "adapter",
    "code_fingerprint": "fingerprint",
    "make_method": "registry",
    "method_names": "registry",
    "method_parameters": "registry",
    "resolve": "registry",
    "set_seed": "registry",
}

_CLASSES = {kind: module for module, kind in (target.split(":") for target in METHODS.values())}

__all__ = ["METHODS", *_HOME, *_CLASSES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"mlbench.methods.{_HOME[name]}"), name)
    if name in _CLASSES:
        return getattr(import_module(_CLASSES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
