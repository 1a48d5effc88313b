import { withNodesAvoided } from '../../../src/manifests/pod/placement';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { replicaNamed, resolved, shortForm } from '../../model/jobs';

const NOT = (node: string) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] });
const termsOf = (spec: ReturnType<typeof withNodesAvoided>) =>
  (spec.affinity as { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: unknown[] } } })
    .nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;

describe('nodes that a pod keeps away from', () => {
  test('are excluded by name, each for itself', () => {
    expect(termsOf(withNodesAvoided({ containers: [] }, ['a', 'b']))).toEqual([{ matchFields: [NOT('a'), NOT('b')] }]);
  });

  test('are excluded in each of the user\'s own terms, which are alternatives, and nothing else of the affinity changes', () => {
    const preferred = [{ weight: 1, preference: {} }];
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };
    const terms = [{ matchExpressions: [{ key: 'x', operator: 'Exists' }] }, { matchFields: [NOT('z')] }];
    const spec = withNodesAvoided({
      containers: [],
      affinity: {
        podAffinity,
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
        },
      },
    }, ['a']);

    expect(termsOf(spec)).toEqual([{ ...terms[0], matchFields: [NOT('a')] }, { matchFields: [NOT('z'), NOT('a')] }]);
    expect(spec.affinity).toMatchObject({ podAffinity, nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } });
  });

  test('are only less wanted than others where no other node could take the pod, and the pod waits for none', () => {
    const job = resolved(shortForm('jax', 1));
    const pod = constructReplicaPod({
      job, replica: replicaNamed(job, 'net-worker-0'), namespace: 'ml', attempt: 0, facts: { avoidNodes: ['a', 'b'], avoidStrictly: false },
    });
    expect(pod.metadata?.annotations ?? {}).not.toHaveProperty('ml.collabnix.io/avoided-nodes');
    expect(pod.spec!.affinity).toEqual({
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: { matchFields: [NOT('a'), NOT('b')] } }] },
    });
  });

  test('change nothing when there are none', () => {
    const spec = { containers: [] };
    expect(withNodesAvoided(spec)).toBe(spec);
  });

  test('are told of by an annotation of the replica\'s pod, for the planner', () => {
    const job = resolved(shortForm('jax', 1));
    const pod = constructReplicaPod({ job, replica: replicaNamed(job, 'net-worker-0'), namespace: 'ml', attempt: 0, facts: { avoidNodes: ['a', 'b'] } });
    expect(pod.metadata?.annotations).toMatchObject({ 'ml.collabnix.io/avoided-nodes': 'a,b' });
    expect(termsOf(pod.spec!)).toEqual([{ matchFields: [NOT('a'), NOT('b')] }]);
  });
});
