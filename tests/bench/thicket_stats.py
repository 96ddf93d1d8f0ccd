"""Statistics of every metric over Caliper profiles by Thicket: processor seconds of reading, then of these.

usage: thicket_stats.py FOLDER
"""

import glob
import sys
import time

import thicket
import thicket.stats


def main():
    files = sorted(glob.glob(sys.argv[1] + "/*.cali"))
    begin = time.process_time()
    ensemble = thicket.Thicket.from_caliperreader(files, disable_tqdm=True)
    print(f"reading: {time.process_time() - begin:.2f} CPU s")
    metrics = [name for name in ensemble.dataframe.columns if name.startswith("sum#") or name.startswith("metric")]
    begin = time.process_time()
    for compute in ("mean", "median", "std", "percentiles", "calc_boxplot_statistics"):
        getattr(thicket.stats, compute)(ensemble, metrics)
    print(f"{len(metrics)} metrics of {len(files)} profiles: {time.process_time() - begin:.2f} CPU s")


if __name__ == "__main__":
    main()
