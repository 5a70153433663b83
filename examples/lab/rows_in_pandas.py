# Rows of simtflow-lab in pandas: warp instructions of each policy over pdom's, by kernel and on average.
import sys

import pandas

rows = pandas.concat([pandas.read_csv(file) for file in sys.argv[1:]], ignore_index=True)
if set(rows.schema) != {"simtflow.run/1"}:
    sys.exit("these are not rows of run, replay, suite or transform")
rows["work"] = rows.warp_instructions + rows.overhead
work = rows[rows.verdict == "finished"].pivot(index="kernel", columns="policy", values="work")
ratio = work.div(work["pdom"], axis=0)
print(ratio.round(3).to_string())
print("mean", ratio.mean().round(3).to_dict())
