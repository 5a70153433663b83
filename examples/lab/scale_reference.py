# A reference program for a launch file: y = 2 * x, of the first n elements.
import json
import sys

import numpy

folder = sys.argv[1]
x = numpy.load(folder + "/in/x.npy")
n = json.load(open(folder + "/in/launch.json"))["params"][2]
y = numpy.load(folder + "/in/y.npy")
y[:n] = 2 * x[:n]
numpy.save(folder + "/out/y.npy", y)
