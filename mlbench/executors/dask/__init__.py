"""Run cells on a Dask cluster: one started on this machine, or an existing one."""
