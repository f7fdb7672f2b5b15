"""Results next to the values that a paper prints.

::

    from mlbench import open_results
    from mlbench.report.reproduction import compare_with_paper

    comparison = compare_with_paper(open_results("results/ke/table-4"))
"""

from mlbench.report.reproduction.matching import compare_with_paper

__all__ = ["compare_with_paper"]
