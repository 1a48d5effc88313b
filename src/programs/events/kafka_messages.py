# Messages of a topic of Kafka. The image has the package kafka-python.
import os
import ssl
import sys

from kafka import KafkaConsumer
from launcher import Launcher, drain

from .messages import content

# As KEDA spells them, and as the package does.
MECHANISMS = {'plaintext': 'PLAIN', 'scram_sha256': 'SCRAM-SHA-256', 'scram_sha512': 'SCRAM-SHA-512'}


class Kafka:
    """The topic, as a member of a consumer group."""

    def __init__(self, source):
        self.name = '%s/%s' % (source['bootstrapServers'], source['topic'])
        env = os.environ
        security = {}
        if source.get('sasl'):
            security = {
                'sasl_mechanism': MECHANISMS[source['sasl']],
                'sasl_plain_username': env['KAFKA_USERNAME'], 'sasl_plain_password': env['KAFKA_PASSWORD'],
            }
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
            'id': id, 'source': self.name, 'type': 'org.apache.kafka.record', 'time': record.timestamp,
            'subject': record.key and record.key.decode(errors='replace'),
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
