# Messages of a subscription of Pub/Sub.
import base64
import json
import os
import socket
import sys
import time

from launcher import Launcher, drain

from ..cloud.google import own_token
from .messages import asker, content, fetch


class PubSub:
    """The subscription, by the REST interface."""

    def __init__(self, subscription):
        self.name = subscription
        emulator = os.environ.get('PUBSUB_EMULATOR_HOST')
        self.url = '%s/v1/%s' % ('http://' + emulator if emulator else 'https://pubsub.googleapis.com', subscription)
        self.token = None if not emulator else ''
        self.expires = 0

    def headers(self):
        """With a token of the pod's workload identity, from the metadata server."""
        if self.token != '' and time.time() > self.expires:
            self.token, seconds = own_token(asker('the pod has no Google Cloud identity'))
            self.expires = time.time() + seconds - 60
        own = {'Authorization': 'Bearer ' + self.token} if self.token else {}
        return {'Content-Type': 'application/json', **own}

    def call(self, method, body, timeout=30):
        status, text = fetch('POST', '%s:%s' % (self.url, method), self.headers(), json.dumps(body).encode(), timeout)
        if status != 200:
            raise RuntimeError('%s of %s fails: %s %s' % (method, self.name, status, text))
        return json.loads(text or '{}')

    def receive(self):
        try:
            received = self.call('pull', {'maxMessages': 1}, 20).get('receivedMessages')
        except (socket.timeout, TimeoutError):
            # An empty subscription is silent for a while.
            return None
        if not received:
            return None
        handle, message = received[0]['ackId'], received[0]['message']
        # A job has to be there before the message comes again.
        self.call('modifyAckDeadline', {'ackIds': [handle], 'ackDeadlineSeconds': 120})
        event = {
            'id': message['messageId'], 'source': '//pubsub.googleapis.com/' + self.name, 'type': 'google.cloud.pubsub.topic.v1.messagePublished',
            'time': message.get('publishTime'), 'attributes': message.get('attributes') or {}, **content(base64.b64decode(message.get('data') or '')),
        }
        return {'id': message['messageId'], 'handle': handle, 'event': event}

    def acknowledge(self, message):
        self.call('acknowledge', {'ackIds': [message['handle']]})

    def refuse(self, message):
        """For its policy of retries and of dead letters to see to."""
        self.call('modifyAckDeadline', {'ackIds': [message['handle']], 'ackDeadlineSeconds': 600})


if __name__ == '__main__':
    launcher = Launcher()
    sys.exit(drain(launcher, PubSub(launcher.settings['source']['subscription'])))
