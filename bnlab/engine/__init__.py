"""All compiled code: plain functions of arrays, one small file a job. No other folder imports numba."""
