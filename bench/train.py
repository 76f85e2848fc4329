import sys
import time

import numpy as np
import xgboost as xgb

path, rows, cols, rounds = sys.argv[1], *map(int, sys.argv[2:])
raw = np.fromfile(path, dtype="<f4")
started = time.perf_counter()
data = xgb.DMatrix(raw[: rows * cols].reshape(rows, cols), raw[rows * cols :], nthread=1)
xgb.train(
    {"objective": "binary:logistic", "eval_metric": "logloss", "seed": 1, "nthread": 1, "tree_method": "hist", "eta": 0.1, "max_depth": 6},
    data,
    rounds,
)
print(time.perf_counter() - started)
