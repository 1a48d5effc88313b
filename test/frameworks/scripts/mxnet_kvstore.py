"""MXNet's distributed key-value store from DMLC_* variables: workers push, servers add up, workers pull the sum.

The same program runs in all roles: in the roles `scheduler` and `server` the import of mxnet serves until the workers are done, and
exits.
"""
import json
import sys

import mxnet


def main() -> int:
    store = mxnet.kv.create('dist_sync')
    rank, world = store.rank, store.num_workers
    shape = (4, 3)
    store.init('weights', mxnet.nd.zeros(shape))
    store.push('weights', mxnet.nd.ones(shape) * (rank + 1))
    pulled = mxnet.nd.zeros(shape)
    store.pull('weights', out=pulled)
    total = float(pulled[0, 0].asscalar())
    print(json.dumps({'framework': 'mxnet', 'mode': 'kvstore', 'rank': rank, 'world': world, 'sum': total}), flush=True)
    return 0 if bool((pulled == world * (world + 1) / 2).min().asscalar()) else 1


if __name__ == '__main__':
    sys.exit(main())
