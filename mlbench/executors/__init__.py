"""Executors run cells in processes here, on a Dask cluster, or with SLURM."""
