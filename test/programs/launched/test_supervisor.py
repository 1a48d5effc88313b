"""The supervisor on a cluster that does as a test says. Its stories over the life of a job are in test/manifests/engines/launched."""
import unittest
from unittest import mock

from programs.launched import supervisor
from programs.launched.plan import members_of
from programs.launched.supervisor import News, names_of, supervise

PLAN = {
    'groups': [{'name': 'worker', 'replicas': 2, 'first': 0, 'restartPolicy': 'OnFailure', 'helper': None}], 'scope': 'gang',
    'exitCodes': {'recover': [], 'retry': [], 'fail': []}, 'backoffLimit': 1, 'disruptionLimit': None,
    'backoff': {'initialSeconds': 2, 'maxSeconds': 10, 'resetAfterSeconds': 600}, 'success': {'ordinals': [[0, 1]], 'one': False},
}


class Cluster:
    def __init__(self, *looks):
        self.looks, self.started = list(looks), []

    def place_all(self):
        pass

    def address_of(self, member):
        return member.name

    def look_for(self, _member):
        return True

    def leave(self, _member):
        pass

    def start(self, member, attempt):
        self.started.append((member.name, attempt))

    def stop(self, members):
        self.looks.insert(0, {member.name: 143 for member in members})
        return 0

    def watch(self, members, _seconds):
        look = self.looks.pop(0) if self.looks else {}
        return [News(member, [], look[member.name]) for member in members if member.name in look]


class Supervising(unittest.TestCase):
    def run_on(self, *looks):
        clock = mock.Mock(side_effect=range(100000))
        cluster, said = Cluster(*looks), []
        with mock.patch.object(supervisor, 'say', said.append), mock.patch.object(supervisor.time, 'sleep'), \
                mock.patch.object(supervisor.time, 'monotonic', clock):
            return supervise(PLAN, members_of(PLAN), cluster), cluster.started, said

    def test_a_job_succeeds_when_those_that_count_have(self):
        code, started, said = self.run_on({'worker-0': 0}, {'worker-1': 0})
        self.assertEqual((code, started, said[-1]), (0, [('worker-0', 0), ('worker-1', 0)], 'the job has succeeded'))

    def test_replicas_that_depend_on_each_other_start_again_together(self):
        code, started, said = self.run_on({'worker-0': 1}, {}, {}, {}, {}, {}, {}, {'worker-0': 0, 'worker-1': 0})
        self.assertEqual(started[2:], [('worker-0', 1), ('worker-1', 1)])
        self.assertIn('worker-0 ended with exit code 1; starts again in 2 s', said)
        self.assertEqual(code, 0)

    def test_a_job_fails_with_its_budget(self):
        code, started, said = self.run_on(*[{'worker-0': 1, 'worker-1': 1}] * 9)
        self.assertEqual((code, len(started)), (1, 4))
        self.assertIn('after 1 counted restarts', said[-1])

    def test_names_are_listed_up_to_sixteen(self):
        members = members_of({'groups': [{'name': 'w', 'replicas': 18, 'first': 0}]})
        self.assertEqual(names_of(members[:2]), 'w-0, w-1')
        self.assertTrue(names_of(members).endswith('w-15 and 2 more'))
