/**
 * The API server takes any text for the name of an owner, and a quarter of a megabyte of annotations. Whoever may create pods can give the operator
 * a name of a megabyte to remember, to ask for and to log, in each of as many pods as their namespace takes.
 */
import { describeAttacks } from './support/attack-suite';
import { eventually } from '../cluster/support/cluster';
import { AVOIDED_NODES_ANNOTATION, GROUP_VERSION, JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, TRAINING_JOB_KIND } from '../../src/model/labels';

const suite = describeAttacks({ nodeOptions: '--max-old-space-size=128' });

const PODS = 120;
const MEGABYTE = 1_000_000;

const forged = (index: number, name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `forged-${index}`,
    labels: { [JOB_LABEL]: 'forged', [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR },
    annotations: { [AVOIDED_NODES_ANNOTATION]: 'a,'.repeat(120_000) },
    ownerReferences: [{ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, name, uid: `${index}`, controller: true }],
  },
  spec: { containers: [{ name: 'main', image: 'image' }] },
});

test('names of owners that no job can have are neither kept, nor asked for, nor logged', async () => {
  const { account, bystander, namespace, operator } = suite;
  const mallory = await account('mallory', [{ apiGroups: [''], resources: ['pods'], verbs: ['create', 'list'] }]);
  await eventually('the rights to be in force', async () => mallory.list('pods', namespace).then(() => true, () => false));
  for (let index = 0; index < PODS; index++) {
    await mallory.create('pods', namespace, forged(index, `${index}${'x'.repeat(MEGABYTE)}`));
  }
  await mallory.create('pods', namespace, forged(PODS, 'bystander/status'));
  // Pods of the new job that this runs come later.
  expect(await bystander.problems()).toEqual([]);
  const lines = operator.log().map((line) => JSON.stringify(line));
  expect(lines.filter((line) => line.length > 20_000 || line.includes('bystander/status'))).toEqual([]);
});
