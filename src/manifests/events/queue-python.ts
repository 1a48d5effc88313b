/** Where messages come from: programs that take them from Pub/Sub, SQS and Kafka, and give them back where no job can be made of them. */

const FETCH = String.raw`

def fetch(method, url, headers=None, body=None, timeout=30):
    """Status and text of an answer, also of one that is an error."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers or {}, method=method), timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors='replace')


def content(data):
    """Bytes as they stand in an event: text where they are text."""
    try:
        return {'data': data.decode()}
    except UnicodeDecodeError:
        return {'data_base64': base64.b64encode(data).decode()}
`;

export const PUBSUB_PYTHON = String.raw`"""Messages of a subscription of Pub/Sub."""
import socket

from launcher import *
${FETCH}

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
            host = os.environ.get('GCE_METADATA_HOST', 'metadata.google.internal')
            status, text = fetch('GET', 'http://%s/computeMetadata/v1/instance/service-accounts/default/token' % host, {'Metadata-Flavor': 'Google'})
            if status != 200:
                raise RuntimeError('the pod has no identity of Google Cloud: %s %s' % (status, text))
            answer = json.loads(text)
            self.token, self.expires = answer['access_token'], time.time() + answer['expires_in'] - 60
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
`;

export const SQS_PYTHON = String.raw`"""Messages of a queue of SQS."""
import datetime
import hmac

from launcher import *
${FETCH}

def signed(method, url, headers, body, scope, credentials, now):
    """Headers with a signature of version 4. Scope: region and service."""
    parts = urllib.parse.urlsplit(url)
    stamp = now.strftime('%Y%m%dT%H%M%SZ')
    headers = {**headers, 'host': parts.netloc, 'x-amz-date': stamp}
    if credentials.get('token'):
        headers['x-amz-security-token'] = credentials['token']
    names = sorted(headers, key=str.lower)
    listed = ';'.join(name.lower() for name in names)
    request = '\n'.join([
        method, parts.path or '/', parts.query, *['%s:%s' % (name.lower(), headers[name].strip()) for name in names], '', listed, hashlib.sha256(body).hexdigest(),
    ])
    place = '/'.join([stamp[:8], *scope, 'aws4_request'])
    key = ('AWS4' + credentials['secret']).encode()
    for part in place.split('/'):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    text = '\n'.join(['AWS4-HMAC-SHA256', stamp, place, hashlib.sha256(request.encode()).hexdigest()])
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers['Authorization'] = 'AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s' % (credentials['key'], place, listed, signature)
    return headers


def credentials_of(region):
    """Of variables, of a role for the service account (IRSA), or of EKS Pod Identity."""
    env = os.environ
    if env.get('AWS_ACCESS_KEY_ID'):
        return {'key': env['AWS_ACCESS_KEY_ID'], 'secret': env['AWS_SECRET_ACCESS_KEY'], 'token': env.get('AWS_SESSION_TOKEN')}
    if env.get('AWS_WEB_IDENTITY_TOKEN_FILE'):
        with open(env['AWS_WEB_IDENTITY_TOKEN_FILE']) as file:
            query = {'Action': 'AssumeRoleWithWebIdentity', 'Version': '2011-06-15', 'RoleArn': env['AWS_ROLE_ARN'], 'RoleSessionName': 'trainyard-launcher', 'WebIdentityToken': file.read()}
        url = env.get('AWS_ENDPOINT_URL_STS', 'https://sts.%s.amazonaws.com' % region)
        status, text = fetch('POST', url + '/', {'Accept': 'application/json', 'Content-Type': 'application/x-www-form-urlencoded'}, urllib.parse.urlencode(query).encode())
        if status != 200:
            raise RuntimeError('the role cannot be taken: %s %s' % (status, text))
        found = json.loads(text)['AssumeRoleWithWebIdentityResponse']['AssumeRoleWithWebIdentityResult']['Credentials']
        return {'key': found['AccessKeyId'], 'secret': found['SecretAccessKey'], 'token': found['SessionToken']}
    if env.get('AWS_CONTAINER_CREDENTIALS_FULL_URI'):
        with open(env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']) as file:
            status, text = fetch('GET', env['AWS_CONTAINER_CREDENTIALS_FULL_URI'], {'Authorization': file.read().strip()})
        if status != 200:
            raise RuntimeError('EKS Pod Identity gives no credentials: %s %s' % (status, text))
        found = json.loads(text)
        return {'key': found['AccessKeyId'], 'secret': found['SecretAccessKey'], 'token': found['Token']}
    raise RuntimeError('the pod has no identity of AWS: give its service account a role')


class Sqs:
    """The queue, by the JSON interface."""

    def __init__(self, url, region):
        self.name, self.region = url, region
        parts = urllib.parse.urlsplit(url)
        self.endpoint = '%s://%s/' % (parts.scheme, parts.netloc)
        self.credentials = credentials_of(region)

    def call(self, action, **body):
        data = json.dumps({'QueueUrl': self.name, **body}).encode()
        headers = {'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'AmazonSQS.' + action}
        now = datetime.datetime.now(datetime.timezone.utc)
        status, text = fetch('POST', self.endpoint, signed('POST', self.endpoint, headers, data, (self.region, 'sqs'), self.credentials, now), data)
        if status != 200:
            raise RuntimeError('%s of %s fails: %s %s' % (action, self.name, status, text))
        return json.loads(text or '{}')

    def receive(self):
        received = self.call('ReceiveMessage', MaxNumberOfMessages=1, WaitTimeSeconds=5, VisibilityTimeout=120, MessageAttributeNames=['All'], MessageSystemAttributeNames=['All']).get('Messages')
        if not received:
            return None
        message = received[0]
        attributes = {name: value.get('StringValue', value.get('BinaryValue')) for name, value in (message.get('MessageAttributes') or {}).items()}
        sent = (message.get('Attributes') or {}).get('SentTimestamp')
        event = {
            'id': message['MessageId'], 'source': self.name, 'type': 'com.amazonaws.sqs.message',
            'time': sent and datetime.datetime.fromtimestamp(int(sent) / 1000, datetime.timezone.utc).isoformat(), 'attributes': attributes, 'data': message['Body'],
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
`;

export const KAFKA_PYTHON = String.raw`"""Messages of a topic of Kafka. The image has the package kafka-python."""
from launcher import *

from kafka import KafkaConsumer
${FETCH}

# As KEDA spells them, and as the package does.
MECHANISMS = {'plaintext': 'PLAIN', 'scram_sha256': 'SCRAM-SHA-256', 'scram_sha512': 'SCRAM-SHA-512'}


class Kafka:
    """The topic, as a member of a consumer group."""

    def __init__(self, source):
        self.name = '%s/%s' % (source['bootstrapServers'], source['topic'])
        env = os.environ
        security = {}
        if source.get('sasl'):
            security = {'sasl_mechanism': MECHANISMS[source['sasl']], 'sasl_plain_username': env['KAFKA_USERNAME'], 'sasl_plain_password': env['KAFKA_PASSWORD']}
        protocol = ('SASL_' if source.get('sasl') else '') + ('SSL' if source.get('tls') else 'PLAINTEXT')
        if source.get('tls') and env.get('KAFKA_CA'):
            security['ssl_context'] = ssl.create_default_context(cadata=env['KAFKA_CA'])
        self.consumer = KafkaConsumer(
            source['topic'], bootstrap_servers=source['bootstrapServers'].split(','), group_id=source['consumerGroup'], enable_auto_commit=False,
            auto_offset_reset='earliest', max_poll_records=1, consumer_timeout_ms=20000, security_protocol=protocol, **security,
        )

    def receive(self):
        record = next(self.consumer, None)
        if record is None:
            return None
        id = '%s/%d/%d' % (record.topic, record.partition, record.offset)
        event = {
            'id': id, 'source': self.name, 'type': 'org.apache.kafka.record', 'time': record.timestamp, 'subject': record.key and record.key.decode(errors='replace'),
            'attributes': {name: value.decode(errors='replace') for name, value in record.headers or ()}, **content(record.value or b''),
        }
        return {'id': id, 'event': event}

    def acknowledge(self, _message):
        # What was received so far: one message at a time.
        self.consumer.commit()

    def refuse(self, message):
        """A topic has one order: a message of which no job can be made is left behind, or none behind it would be read."""
        self.acknowledge(message)


if __name__ == '__main__':
    launcher = Launcher()
    source = Kafka(launcher.settings['source'])
    try:
        sys.exit(drain(launcher, source))
    finally:
        # The next member of the group need not wait until this one is missed.
        source.consumer.close(autocommit=False)
`;
