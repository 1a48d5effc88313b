/** What credentials and run identity synthesize, shown to the API server with strict checks. Nothing is kept. */
import { Chart, Duration, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Credentials, Framework, ManagedSecret, RemoteSecret, SecretManagerDriver, SecretStoreRef, Tracker, TrainingJob } from '../../../src';
import { InferenceService, ModelCredentials, Predictor, ServingMode } from '../../../src/constructs/serving';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

/** Collections of the kinds, by namespace. */
const COLLECTIONS: { readonly [kind: string]: string } = {
  'external-secrets.io/v1 ExternalSecret': '/apis/external-secrets.io/v1/namespaces/NAMESPACE/externalsecrets',
  'ml.collabnix.io/v1alpha1 MLTrainingJob': '/apis/ml.collabnix.io/v1alpha1/namespaces/NAMESPACE/mltrainingjobs',
  'serving.kserve.io/v1beta1 InferenceService': '/apis/serving.kserve.io/v1beta1/namespaces/NAMESPACE/inferenceservices',
};

/** No definition of it is at hand; its fields are in test/constructs/credentials. */
const WITHOUT_DEFINITION = ['SecretProviderClass'];

let namespace = '';
beforeAll(async () => {
  namespace = await createNamespace('credentials');
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds('external-secrets', 'kserve')]);
});
afterAll(async () => deleteNamespace(namespace));

async function expectAccepted(program: (chart: Chart) => void): Promise<void> {
  const chart = new Chart(Testing.app(), 'credentials', { namespace });
  program(chart);
  const objects = (Testing.synth(chart) as TestObject[]).filter(({ kind }) => !WITHOUT_DEFINITION.includes(kind!));
  expect(objects.length).toBeGreaterThan(0);
  for (const object of objects) {
    const { status, message, warnings } = await judge(COLLECTIONS[`${object.apiVersion} ${object.kind}`].replace('NAMESPACE', namespace), object);
    expect({ object: `${object.kind} ${object.metadata.name}`, status, warnings, message: status === 201 ? '' : message }).toEqual({
      object: `${object.kind} ${object.metadata.name}`, status: 201, warnings: [], message: '',
    });
  }
}

describe('the API server', () => {
  test('accepts an ExternalSecret with the least and one with everything', async () => {
    await expectAccepted((chart) => {
      Credentials.externalSecret(chart, 'Least', { store: SecretStoreRef.cluster('gcp'), keys: { HF_TOKEN: RemoteSecret.named('hf') } });
      Credentials.externalSecret(chart, 'All', {
        metadata: { name: 'all', labels: { team: 'a' } }, store: SecretStoreRef.namespaced('vault'), keys: { 'a.b-c_d': RemoteSecret.named('ml/tokens', { property: 'hf', version: '3' }) },
        extract: [RemoteSecret.named('ml/all', { version: '1' })], secretName: 'tokens', refresh: Duration.minutes(15),
      });
      Credentials.externalSecret(chart, 'Once', { store: SecretStoreRef.cluster('gcp'), extract: [RemoteSecret.named('ml/all')], refresh: Duration.seconds(0) });
    });
  });

  test('accepts a job and a model server with all kinds of credentials, an identity and a tracker', async () => {
    await expectAccepted((chart) => {
      const tokens = Credentials.externalSecret(chart, 'Tokens', { store: SecretStoreRef.cluster('gcp'), keys: { HF_TOKEN: RemoteSecret.named('hf'), WANDB_API_KEY: RemoteSecret.named('wandb') } });
      const files = Credentials.secretManager(chart, 'Files', { project: 'ml-prod', secrets: { token: ManagedSecret.named('hf') } });
      const synced = Credentials.secretManager(chart, 'Synced', {
        project: 'ml-prod', secrets: { TOKEN: ManagedSecret.named('hf') }, driver: SecretManagerDriver.OPEN_SOURCE, secretName: 'synced',
      });
      const exists = Credentials.secret(kplus.Secret.fromSecretName(chart, 'Exists', 'exists'));
      new TrainingJob(chart, 'Job', {
        metadata: { name: 'train' }, framework: Framework.pytorch(), image: `train@sha256:${'e'.repeat(64)}`, replicas: 2, run: { id: 'llama-3', parent: 'llama-2' },
        tracker: Tracker.wandb({ project: 'digits', credentials: tokens.asEnvironment() }),
        credentials: [files.asFiles('/secrets', { variables: { HF_TOKEN_PATH: 'token' } }), synced.asEnvironment({ TOKEN: 'TOKEN' }), exists.asFiles('/more')],
      });
      new InferenceService(chart, 'Service', {
        metadata: { name: 'digits' }, mode: ServingMode.STANDARD, credentials: ModelCredentials.fromCredentials(tokens),
        predictor: Predictor.container({ image: 'server:1', credentials: [tokens.asEnvironment(), files.asFiles('/secrets')] }),
      });
    });
  });
});
