"""An application of Spark with an executor of its own, which prints the page of its metrics after some work."""
import sys
import time
import urllib.request

from pyspark.sql import SparkSession

settings = dict(argument.split("=", 1) for argument in sys.argv[1:])
builder = SparkSession.builder.master("local-cluster[1,1,1024]").appName("metrics").config("spark.ui.port", "0")
for name, value in settings.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
pairs = session.sparkContext.parallelize(range(1000), 4).map(lambda number: (number % 3, number))
assert len(pairs.reduceByKey(lambda one, other: one + other).collect()) == 3

port = session.sparkContext.uiWebUrl.rsplit(":", 1)[1]
deadline = time.time() + 120
while True:
    page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics/executors/prometheus").read().decode()
    # The executor tells the driver of its metrics with its heartbeats.
    if 'executor_id="0"' in page or time.time() > deadline:
        break
    time.sleep(0.2)
sys.stdout.write(page)
sys.stdout.flush()
session.stop()
