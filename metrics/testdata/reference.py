"""Prints the reference values that the tests of this package are pinned to.

Made with Python 3.11, NumPy 1.24, SciPy 1.10, scikit-learn 1.2.1 and statsmodels
0.13.5. metrics-sklearn.json holds two sets of 5,000 rows (one with ties) and
scikit-learn's values for them.
"""

import csv
import json
import os

import numpy as np
import statsmodels.api as sm
from scipy import special, stats
from scipy.stats.contingency import association
from sklearn import metrics
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

HERE = os.path.dirname(os.path.abspath(__file__))


def show(name, *values):
    print(name, *(repr(float(v)) for v in np.ravel(values)))


def delong(y, a, b=None):
    """AUC, variance of a (or a and b: AUCs, covariance) by the kernel itself."""
    def placements(s):
        pos, neg = s[y == 1], s[y == 0]
        psi = (pos[:, None] > neg[None, :]) + 0.5 * (pos[:, None] == neg[None, :])
        return psi.mean(axis=1), psi.mean(axis=0)
    va, vb = placements(a), placements(a if b is None else b)
    cov = lambda x, z: np.cov(x, z)[0, 1]
    n1, n0 = (y == 1).sum(), (y == 0).sum()
    return va[0].mean(), cov(va[0], vb[0]) / n1 + cov(va[1], vb[1]) / n0


def binary(name, c):
    y, p, w = (np.array(c[k]) for k in ("y", "p", "w"))
    auc, var = delong(y, p)
    mid, half = special.logit(auc), 1.959963984540054 * var**0.5 / (auc * (1 - auc))
    show(name + " delong", special.expit(mid - half), special.expit(mid + half))
    b = p * w
    auc_b, var_b = delong(y, b)
    _, cov = delong(y, p, b)
    se = (var + var_b - 2 * cov) ** 0.5
    show(name + " delong difference", auc - auc_b, se, 2 * stats.norm.sf(abs(auc - auc_b) / se))
    clipped = np.clip(p, 1e-7, 1 - 1e-7)
    show(name + " logloss 1e-7", metrics.log_loss(y, clipped), metrics.log_loss(y, clipped, sample_weight=w))
    hard = p >= 0.5
    for weight in (None, w):
        show(name + " at 0.5", metrics.accuracy_score(y, hard, sample_weight=weight),
             metrics.precision_score(y, hard, sample_weight=weight), metrics.recall_score(y, hard, sample_weight=weight),
             metrics.f1_score(y, hard, sample_weight=weight), metrics.matthews_corrcoef(y, hard, sample_weight=weight),
             metrics.balanced_accuracy_score(y, hard, sample_weight=weight))
    x = special.logit(clipped)
    fit = sm.GLM(y, sm.add_constant(x), family=sm.families.Binomial(), freq_weights=w).fit(tol=1e-14)
    show(name + " recalibration slope, intercept (weighted)", fit.params[1], fit.params[0])
    a, b0 = _sigmoid_calibration(x, y, w)
    show(name + " platt slope, intercept (scikit-learn, about 1e-4)", -a, -b0)
    n1, n0 = w[y == 1].sum(), w[y == 0].sum()
    target = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    fit = sm.GLM(target, sm.add_constant(x), family=sm.families.Binomial(), freq_weights=w).fit(tol=1e-14)
    show(name + " platt slope, intercept (Newton)", fit.params[1], fit.params[0])
    iso = IsotonicRegression(out_of_bounds="clip").fit(p, y, w)
    show(name + " isotonic at -1 .005 .1 .25 .333 .5 .77 .9 2", iso.predict([-1, 0.005, 0.1, 0.25, 0.333, 0.5, 0.77, 0.9, 2]))
    show(name + " knots", len(iso.X_thresholds_))


def multiclass(c):
    y = np.floor(np.array(c["yr"])).astype(int) % 3
    p, w = np.array(c["p"]), np.array(c["w"])
    q = np.stack([0.1 + 0.6 * p, 0.5 * (1 - p), 0.4 - 0.1 * p], axis=1)
    hard = q.argmax(axis=1)
    for weight in (None, w):
        show("multiclass logloss, accuracy, balanced, macro F1", metrics.log_loss(y, np.clip(q, 1e-7, 1 - 1e-7), sample_weight=weight),
             metrics.accuracy_score(y, hard, sample_weight=weight),
             metrics.balanced_accuracy_score(y, hard, sample_weight=weight),
             metrics.f1_score(y, hard, average="macro", sample_weight=weight))
    show("multiclass macro AUC", metrics.roc_auc_score(y, q, multi_class="ovr"))
    show("multiclass top 2", metrics.top_k_accuracy_score(y, q, k=2))
    for row in np.transpose(metrics.precision_recall_fscore_support(y, hard, zero_division=0)):
        show("multiclass class", row)


def regression(c):
    y, p, w = np.array(c["yr"]), np.array(c["pr"]), np.array(c["w"])
    low = min(y.min(), p.min())
    show("rmsle of values less their least", metrics.mean_squared_log_error(y - low, p - low) ** 0.5)
    show("smape", np.mean(2 * abs(y - p) / (abs(y) + abs(p))))
    show("weighted rmse, mae, mape", metrics.mean_squared_error(y, p, sample_weight=w) ** 0.5,
         metrics.mean_absolute_error(y, p, sample_weight=w), metrics.mean_absolute_percentage_error(y, p, sample_weight=w))
    show("ks two sample", stats.ks_2samp(y, p).statistic)
    d, n = stats.ks_2samp(y, p).statistic, len(y)
    show("ks two sample asymptotic p", special.kolmogorov((n / 2) ** 0.5 * d))
    show("quantiles .025 .5 .9", np.quantile(y, [0.025, 0.5, 0.9]))


def shifts():
    z = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    edges = np.quantile(z, np.arange(1, 10) / 10)
    for shift in (0, 0.1, 0.25, 0.5, 1.0):
        count = lambda x: np.bincount(np.searchsorted(edges, x), minlength=10) / len(x)
        p, q = np.maximum(count(z), 1e-4), np.maximum(count(z + shift), 1e-4)
        ks = stats.ks_2samp(z, z + shift).statistic
        show("shift %s psi, D, p" % shift, ((q - p) * np.log(q / p)).sum(), ks, special.kolmogorov(1000**0.5 * ks))
    show("kolmogorov .3 .8 1 1.36 2", special.kolmogorov([0.3, 0.8, 1, 1.36, 2]))


def tests():
    table = [[10, 20, 30], [25, 15, 12], [4, 9, 16]]
    chi = stats.chi2_contingency(table, correction=False)
    show("chi2, p, V", chi[0], chi[1], association(table, method="cramer"))
    table = [[1900, 100, 0], [1800, 100, 100]]
    chi = stats.chi2_contingency(table, correction=False)
    show("new level chi2, p, V", chi[0], chi[1], association(table, method="cramer"))
    p = [0.01, 0.04, 0.03, 0.005, 0.5, 0.04]
    show("bh", multipletests(p, method="fdr_bh")[1])
    show("holm", multipletests(p, method="holm")[1])
    for b, c in ((3, 12), (8, 8), (30, 55), (0, 6)):
        show("mcnemar %d %d" % (b, c), mcnemar([[0, b], [c, 0]], exact=b + c < 25, correction=True).pvalue)
    for s, n in ((7, 20), (0, 10), (10, 10), (0.3 * 12.5, 12.5)):
        show("wilson %s %s" % (s, n), proportion_confint(s, n, method="wilson"))
    d, ratio = np.array([0.02, 0.01, 0.03, -0.005, 0.015]), 0.25
    se = ((1 / 5 + ratio) * d.var(ddof=1)) ** 0.5
    t = d.mean() / se
    q = stats.t.ppf(0.975, 4)
    show("nadeau-bengio mean, se, t, p, ci", d.mean(), se, t, 2 * stats.t.sf(t, 4), d.mean() - q * se, d.mean() + q * se)
    e1 = np.array([0.5, -1.2, 0.3, 2.0, -0.7, 1.1, -0.4, 0.9, -1.5, 0.2, 0.6, -0.8])
    e2 = np.array([1.0, -1.0, 0.9, 2.5, -1.7, 0.6, -0.9, 1.8, -1.1, 0.8, 1.5, -1.4])
    d = abs(e1) - abs(e2)
    n, m = len(d), d.mean()
    for h in (1, 2, 3):
        v = sum((2 if k else 1) * ((d[k:] - m) * (d[: n - k] - m)).sum() / n for k in range(h))
        v = v if v > 0 else ((d - m) ** 2).sum() / n
        t = m / (v / n) ** 0.5 * ((n + 1 - 2 * h + h * (h - 1) / n) / n) ** 0.5
        show("diebold-mariano %d mean, t, p" % h, m, t, 2 * stats.t.sf(abs(t), n - 1))
    show("t quantiles 1 2 4 30 1000", stats.t.ppf(0.975, [1, 2, 4, 30, 1000]))
    rel, score = np.array([3, 2, 3, 0, 1, 2]), np.array([0.9, 0.8, 0.3, 0.7, 0.6, 0.5])
    for k in (3, 6):
        show("ndcg@%d" % k, metrics.ndcg_score([2.0**rel - 1], [score], k=k))


def series():
    with open(os.path.join(HERE, "air-passengers.csv")) as f:
        y = np.array([float(r["y"]) for r in csv.DictReader(f)])
    for origin in range(5, 0, -1):
        train, test = y[: len(y) - 12 * origin], y[len(y) - 12 * origin:][:12]
        scale = abs(train[12:] - train[:-12]).mean()
        show("mase naive, seasonal", abs(test - train[-1]).mean() / scale, abs(test - train[-12:]).mean() / scale)


def main():
    with open(os.path.join(HERE, "metrics-sklearn.json")) as f:
        cases = json.load(f)
    for name, case in cases.items():
        binary(name, case)
    multiclass(cases["ties"])
    regression(cases["cont"])
    shifts()
    tests()
    series()


if __name__ == "__main__":
    main()
