"""The part of the driver that speaks with Ray, on a Ray that does as a test says. The real one is in test/frameworks."""
import sys
import types
import unittest
from unittest import mock

RAY = mock.MagicMock()
RAY.remote = lambda **_options: lambda cls: cls
RAY.exceptions.RayError = type('RayError', (Exception,), {})
FAKES = {'ray': RAY, 'ray.util': mock.MagicMock(), 'ray.util.placement_group': mock.MagicMock(), 'ray.util.scheduling_strategies': mock.MagicMock()}
with mock.patch.dict(sys.modules, FAKES):
    from programs.launched.plan import members_of
    from programs.ray import driver

PLAN = {'graceSeconds': 3, 'groups': [{'name': 'worker', 'replicas': 2, 'first': 0}]}


class Nodes(unittest.TestCase):
    def setUp(self):
        RAY.reset_mock(return_value=True, side_effect=True)
        self.members = members_of(PLAN)
        self.actor = mock.MagicMock()
        driver.Replica.options = lambda **_options: types.SimpleNamespace(remote=lambda: self.actor)
        self.nodes = driver.RayNodes(PLAN, self.members)

    def test_each_replica_wants_a_node_of_its_role_to_itself(self):
        bundles, options = driver.placement_group.call_args
        self.assertEqual((bundles, options), (([{'trainyard-worker': 1}] * 2,), {'strategy': 'STRICT_SPREAD'}))

    def test_a_replica_has_a_place_when_its_actor_has_told_it(self):
        RAY.wait.return_value = ([], [])
        self.assertFalse(self.nodes.look_for(self.members[0]))
        RAY.wait.return_value, RAY.get.return_value = (['ref'], []), ('10.0.0.1', 'node')
        self.assertTrue(self.nodes.look_for(self.members[0]))
        self.assertEqual(self.nodes.address_of(self.members[0]), '10.0.0.1')

    def polled(self, alive):
        self.nodes.places[0], self.nodes.polls[0], self.nodes.actors[0] = ('10.0.0.1', 'node'), 'ref', self.actor
        RAY.nodes.return_value = [{'NodeID': 'node', 'Alive': alive}]
        with mock.patch.object(driver, 'NODE_LOSS_SECONDS', 0):
            return self.nodes.news(self.members[0], 'ref')

    def test_lines_and_the_end_of_a_program_are_news(self):
        RAY.get.side_effect = [(['line'], 1, True)]
        news = self.polled(True)
        self.assertEqual((news.lines, news.code, news.disruption), (['line'], 1, True))

    def test_an_actor_that_is_lost_with_its_node_is_a_disruption_and_else_a_failure(self):
        for alive, words in ((False, 'was lost with its node (gone)'), (True, 'was lost with its process (gone)')):
            RAY.get.side_effect = RAY.exceptions.RayError('gone\nmore')
            news = self.polled(alive)
            self.assertEqual((news.code, news.disruption, news.what), (137, not alive, 'worker-0 ' + words))
            self.assertNotIn(0, self.nodes.places)

    def test_programs_are_stopped_with_their_grace_period(self):
        self.nodes.actors[1] = self.actor
        self.assertEqual(self.nodes.stop(self.members), 0)
        self.actor.stop.remote.assert_called_once_with(3)
        self.assertEqual(RAY.wait.call_args.kwargs['timeout'], 13)
