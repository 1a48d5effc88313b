import base64
import json
import os
import sys
import types
import unittest
from unittest import mock

from programs.events import messages, pubsub, sqs


class Messages(unittest.TestCase):
    def test_bytes_are_text_where_they_are(self):
        self.assertEqual(messages.content('größer'.encode()), {'data': 'größer'})
        self.assertEqual(messages.content(b'\xff'), {'data_base64': '/w=='})

    def test_an_answer_that_is_an_error_is_told_in_words(self):
        with mock.patch.object(messages, 'fetch', return_value=(403, 'no')):
            with self.assertRaisesRegex(RuntimeError, '^nobody: 403 no$'):
                messages.asker('nobody')('http://a.example', {}, None)

    def test_what_has_a_body_is_posted(self):
        with mock.patch.object(messages, 'fetch', return_value=(200, '{"a": 1}')) as fetch:
            self.assertEqual(messages.asker('')('http://a.example', {}, None), {'a': 1})
            messages.asker('')('http://a.example', {}, b'x')
        self.assertEqual([call.args[0] for call in fetch.call_args_list], ['GET', 'POST'])


class PubSub(unittest.TestCase):
    def setUp(self):
        environ = mock.patch.dict(os.environ, {'PUBSUB_EMULATOR_HOST': '127.0.0.1:1'})
        environ.start()
        self.addCleanup(environ.stop)
        self.source = pubsub.PubSub('projects/p/subscriptions/s')

    def answering(self, *answers):
        return mock.patch.object(pubsub, 'fetch', side_effect=answers)

    def test_a_message_is_an_event_and_is_kept_from_others(self):
        message = {'messageId': '7', 'publishTime': 't', 'data': base64.b64encode(b'hello').decode()}
        with self.answering((200, json.dumps({'receivedMessages': [{'ackId': 'A', 'message': message}]})), (200, '')) as fetch:
            received = self.source.receive()
        self.assertEqual((received['id'], received['handle'], received['event']['data'], received['event']['attributes']), ('7', 'A', 'hello', {}))
        self.assertTrue(fetch.call_args_list[1].args[1].endswith(':modifyAckDeadline'))

    def test_an_empty_subscription_has_no_message(self):
        with self.answering((200, '{}')):
            self.assertIsNone(self.source.receive())
        with self.answering(TimeoutError()):
            self.assertIsNone(self.source.receive())

    def test_a_token_is_asked_for_again_when_it_ends(self):
        with mock.patch.dict(os.environ, clear=True):
            source = pubsub.PubSub('s')
        with mock.patch.object(pubsub, 'own_token', side_effect=[('A', 3600), ('B', 3600)]), mock.patch('time.time', side_effect=[1, 1, 2, 9999, 9999]):
            self.assertEqual([source.headers()['Authorization'] for _ in range(3)], ['Bearer A', 'Bearer A', 'Bearer B'])


class Sqs(unittest.TestCase):
    def setUp(self):
        environ = mock.patch.dict(os.environ, {'AWS_ACCESS_KEY_ID': 'K', 'AWS_SECRET_ACCESS_KEY': 'S'}, clear=True)
        environ.start()
        self.addCleanup(environ.stop)

    def test_requests_are_signed_and_a_message_is_an_event(self):
        source = sqs.Sqs('https://sqs.eu-west-1.amazonaws.com/1/q', 'eu-west-1')
        message = {'MessageId': '7', 'ReceiptHandle': 'R', 'Body': 'hello', 'Attributes': {'SentTimestamp': '0'},
                   'MessageAttributes': {'a': {'StringValue': 'b'}}}
        with mock.patch.object(sqs, 'fetch', return_value=(200, json.dumps({'Messages': [message]}))) as fetch:
            received = source.receive()
        self.assertEqual(received['event'], {
            'id': '7', 'source': 'https://sqs.eu-west-1.amazonaws.com/1/q', 'type': 'com.amazonaws.sqs.message', 'time': '1970-01-01T00:00:00+00:00',
            'attributes': {'a': 'b'}, 'data': 'hello',
        })
        method, url, headers, body = fetch.call_args.args
        self.assertEqual((method, url), ('POST', 'https://sqs.eu-west-1.amazonaws.com/'))
        self.assertRegex(headers['Authorization'], r'Credential=K/\d{8}/eu-west-1/sqs/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target,')
        self.assertEqual(json.loads(body)['QueueUrl'], source.name)

    def test_a_pod_without_an_identity_says_so(self):
        os.environ.clear()
        with self.assertRaisesRegex(RuntimeError, 'give its service account a role'):
            sqs.Sqs('https://sqs.eu-west-1.amazonaws.com/1/q', 'eu-west-1')


class Kafka(unittest.TestCase):
    def test_a_record_is_an_event_and_is_committed(self):
        consumer = mock.MagicMock()
        record = types.SimpleNamespace(topic='t', partition=0, offset=5, timestamp=1, key=b'k', headers=[('h', b'v')], value=b'hello')
        consumer.__next__.side_effect = [record, StopIteration]
        fake = types.SimpleNamespace(KafkaConsumer=mock.Mock(return_value=consumer))
        with mock.patch.dict(sys.modules, {'kafka': fake}), mock.patch.dict(os.environ, {'KAFKA_USERNAME': 'u', 'KAFKA_PASSWORD': 'p'}):
            from programs.events.kafka_messages import Kafka as Topic
            source = Topic({'bootstrapServers': 'a:1,b:1', 'topic': 't', 'consumerGroup': 'g', 'sasl': 'scram_sha256', 'tls': True})
        self.assertEqual(fake.KafkaConsumer.call_args.kwargs['security_protocol'], 'SASL_SSL')
        received = source.receive()
        self.assertEqual((received['id'], received['event']['data'], received['event']['attributes']), ('t/0/5', 'hello', {'h': 'v'}))
        source.refuse(received)
        consumer.commit.assert_called_once_with()
        self.assertIsNone(source.receive())
