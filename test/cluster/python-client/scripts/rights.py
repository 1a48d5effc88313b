"""What a user may not do, in words."""
import json

import trainyard_client as trainyard
from trainyard_client import ClusterError, InvalidArgument


def train():
    pass


def told(work):
    try:
        work()
    except (ClusterError, InvalidArgument) as error:
        return [type(error).__name__, str(error)]
    return 'allowed'


client = trainyard.Client()
print(json.dumps({
    'list': told(client.list), 'train': told(lambda: client.train(train, name='mine')), 'delete': told(lambda: client.delete('digits')),
    'other': told(trainyard.Client(namespace='kube-system').list),
}))
