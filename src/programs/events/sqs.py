# Messages of a queue of SQS.
import datetime
import hashlib
import json
import os
import sys
import urllib.parse

from launcher import Launcher, drain

from ..cloud.aws import credentials_of, signed
from .messages import asker, fetch


class Sqs:
    """The queue, by the JSON interface."""

    def __init__(self, url, region):
        self.name, self.region = url, region
        parts = urllib.parse.urlsplit(url)
        self.endpoint = '%s://%s/' % (parts.scheme, parts.netloc)
        self.credentials = credentials_of(region, 'trainyard-launcher', os.environ.get, asker('the pod gets no credentials of AWS'))
        if self.credentials is None:
            raise RuntimeError('the pod has no AWS identity: give its service account a role')

    def call(self, action, **body):
        data = json.dumps({'QueueUrl': self.name, **body}).encode()
        headers = {'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'AmazonSQS.' + action}
        digest = hashlib.sha256(data).hexdigest()
        status, text = fetch('POST', self.endpoint, signed('POST', self.endpoint, headers, digest, (self.region, 'sqs'), self.credentials), data)
        if status != 200:
            raise RuntimeError('%s of %s fails: %s %s' % (action, self.name, status, text))
        return json.loads(text or '{}')

    def receive(self):
        received = self.call(
            'ReceiveMessage', MaxNumberOfMessages=1, WaitTimeSeconds=5, VisibilityTimeout=120, MessageAttributeNames=['All'],
            MessageSystemAttributeNames=['All'],
        ).get('Messages')
        if not received:
            return None
        message = received[0]
        attributes = {name: value.get('StringValue', value.get('BinaryValue')) for name, value in (message.get('MessageAttributes') or {}).items()}
        sent = (message.get('Attributes') or {}).get('SentTimestamp')
        event = {
            'id': message['MessageId'], 'source': self.name, 'type': 'com.amazonaws.sqs.message',
            'time': sent and datetime.datetime.fromtimestamp(int(sent) / 1000, datetime.timezone.utc).isoformat(),
            'attributes': attributes, 'data': message['Body'],
        }
        return {'id': message['MessageId'], 'handle': message['ReceiptHandle'], 'event': event}

    def acknowledge(self, message):
        self.call('DeleteMessage', ReceiptHandle=message['handle'])

    def refuse(self, message):
        """For its redrive policy to see to."""
        self.call('ChangeMessageVisibility', ReceiptHandle=message['handle'], VisibilityTimeout=600)


if __name__ == '__main__':
    launcher = Launcher()
    source = launcher.settings['source']
    sys.exit(drain(launcher, Sqs(source['queueUrl'], source['region'])))
