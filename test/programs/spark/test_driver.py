"""The part of the driver that speaks with Spark, on a Spark that runs nothing. The real one is in test/frameworks."""
import os
import socket
import sys
import threading
import unittest
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from unittest import mock

with mock.patch.dict(sys.modules, {'pyspark': mock.MagicMock(), 'pyspark.sql': mock.MagicMock()}):
    from programs.launched.plan import members_of
    from programs.launched.policy import JobFailed
    from programs.spark import driver

PLAN = {'graceSeconds': 3, 'groups': [{'name': 'worker', 'replicas': 2, 'first': 0}]}


class Executors(unittest.TestCase):
    def setUp(self):
        self.members = members_of(PLAN)
        self.hold = threading.Event()
        self.addCleanup(self.hold.set)
        context = mock.MagicMock()
        context.getConf().get.return_value = '127.0.0.1'
        self.problem = None
        context.parallelize().foreachPartition.side_effect = self.job
        with mock.patch.object(driver.secrets, 'token_bytes', return_value=b'key'):
            self.executors = driver.SparkExecutors(PLAN, self.members, context)

    def job(self, _task):
        self.hold.wait(20)
        if self.problem is not None:
            raise RuntimeError(self.problem)

    def agent(self, ordinal, address):
        agent = Client(('127.0.0.1', self.executors.listener.address[1]), authkey=b'key')
        self.addCleanup(agent.close)
        agent.send((ordinal, 'here', address))
        return agent

    def placed(self):
        agents = [self.agent(0, '10.0.0.1'), self.agent(1, '10.0.0.2')]
        self.executors.place_all()
        return agents

    def test_agents_are_told_what_to_start_and_where_the_others_are(self):
        first, _ = self.placed()
        self.executors.start(self.members[0], 4)
        self.assertEqual(first.recv(), ('start', ({'worker-0': '10.0.0.1', 'worker-1': '10.0.0.2'}, 4)))
        self.assertEqual(self.executors.address_of(self.members[1]), '10.0.0.2')

    def news(self, member):
        found = []
        while not found:
            found = self.executors.watch([member], 0.1)
        return found[0]

    def test_what_agents_tell_is_news(self):
        first, _ = self.placed()
        first.send((0, 'news', (['line'], 1, False)))
        news = self.news(self.members[0])
        self.assertEqual((news.lines, news.code, news.disruption), (['line'], 1, False))

    def test_an_agent_that_is_gone_is_a_disruption(self):
        first, _ = self.placed()
        first.close()
        news = self.news(self.members[0])
        self.assertEqual((news.code, news.disruption, news.what), (137, True, 'worker-0 was lost with its executor'))
        self.assertFalse(self.executors.look_for(self.members[0]))

    def test_somebody_without_the_key_is_left_out(self):
        with self.assertRaises(AuthenticationError):
            Client(('127.0.0.1', self.executors.listener.address[1]), authkey=b'other')
        self.placed()

    def test_somebody_who_says_nothing_keeps_nobody_out_and_is_left_out_too(self):
        with mock.patch.object(driver, 'STRANGER_SECONDS', 1):
            silent = socket.create_connection(('127.0.0.1', self.executors.listener.address[1]), timeout=20)
            self.addCleanup(silent.close)
            # A challenge, and then the end.
            self.assertTrue(silent.recv(4096))
            self.placed()
            self.assertEqual(silent.recv(4096), b'')

    def test_tasks_that_spark_gives_up_are_the_end_of_the_job(self):
        self.problem = 'no executors'
        self.hold.set()
        with self.assertRaisesRegex(JobFailed, 'Spark gave up its tasks: no executors'):
            self.executors.receive(20)

    def test_the_container_of_a_task_is_a_process_of_linux(self):
        self.assertRegex(driver.container_of_task(), r'^/proc/(self|\d+)/$')
        with mock.patch.dict(os.environ, {'SPARK_EXECUTOR_POD_IP': '10.0.0.9'}):
            self.assertEqual(driver.own_address(), '10.0.0.9')
