"""Workers of a Dask cluster: on this machine, or one that is there already."""
