import { constructTrainingJobCrd } from '../../src/manifests/mltrainingjob-crd';
import { frameworkContracts } from '../../src/model/frameworks/registry';
import { FRAMEWORK_NAMES } from '../../src/model/training-job/spec';
import type { JsonSchema } from '../../src/model/training-job/schema/json-schema';

interface Version {
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
}

function rootSchema(): JsonSchema {
  return (constructTrainingJobCrd().spec.versions as Version[])[0].schema.openAPIV3Schema;
}

/** All schemas in a schema, with their paths. */
function* schemasIn(schema: JsonSchema, path = ''): Generator<[string, JsonSchema]> {
  yield [path, schema];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield* schemasIn(field, `${path}.${name}`);
  }
  for (const inner of [schema.items, schema.additionalProperties]) {
    if (inner !== undefined) {
      yield* schemasIn(inner, `${path}[]`);
    }
  }
}

describe('the CustomResourceDefinition', () => {
  test('looks like this', () => {
    expect(constructTrainingJobCrd()).toMatchSnapshot();
  });

  test('is the same each time, and holds nothing but JSON', () => {
    const crd = constructTrainingJobCrd();
    expect(constructTrainingJobCrd()).toEqual(crd);
    expect(JSON.parse(JSON.stringify(crd))).toEqual(crd);
  });

  test('is what the blog\'s users know it by', () => {
    expect(constructTrainingJobCrd()).toMatchObject({
      metadata: { name: 'mltrainingjobs.ml.collabnix.io' },
      spec: {
        group: 'ml.collabnix.io',
        scope: 'Namespaced',
        names: { kind: 'MLTrainingJob', plural: 'mltrainingjobs', singular: 'mltrainingjob', shortNames: ['mltj'] },
      },
    });
  });

  test('knows every framework of the model', () => {
    expect(rootSchema().properties!.spec.properties!.framework.enum).toEqual(FRAMEWORK_NAMES);
  });

  test('repeats the roles of every framework that names its own', () => {
    const rules = rootSchema().properties!.spec['x-kubernetes-validations']!.map(({ rule }) => rule);
    for (const { name, roles } of frameworkContracts().filter((framework) => framework.roles.length > 0)) {
      const names = roles.map((role) => `'${role.name}'`).join(', ');
      expect(rules).toContainEqual(expect.stringMatching(new RegExp(`'${name}': \\[${names}\\]`)));
    }
  });

  test('bounds every list, map and text of the spec, which is what keeps its rules cheap', () => {
    const unbounded = [...schemasIn(rootSchema().properties!.spec, 'spec')].filter(([, schema]) =>
      (schema.type === 'string' && schema.maxLength === undefined && schema.enum === undefined)
      || (schema.type === 'array' && schema.maxItems === undefined)
      || (schema.additionalProperties !== undefined && schema.maxProperties === undefined));
    expect(unbounded.map(([path]) => path)).toEqual([]);
  });

  test('says in every rule what to do', () => {
    for (const [path, schema] of schemasIn(rootSchema())) {
      for (const { message } of schema['x-kubernetes-validations'] ?? []) {
        expect(`${path}: ${message}`).toMatch(/: (must|cannot|needs|has|is|holds|contains|applies|counts) /);
      }
    }
  });

  test('has defaults for nothing that the model would not fill in alike', () => {
    const defaults = [...schemasIn(rootSchema())].filter(([, schema]) => schema.default !== undefined).map(([path]) => path);
    expect(defaults).toEqual([
      '.spec.roles[].replicas', '.spec.helpers[].replicas', '.spec.helpers[].port', '.spec.helpers[].onFailure', '.spec.code.mountPath', '.spec.port',
      '.spec.runPolicy', '.spec.runPolicy.restartPolicy', '.spec.runPolicy.backoffLimit',
      '.spec.runPolicy.backoff', '.spec.runPolicy.backoff.initialSeconds', '.spec.runPolicy.backoff.maxSeconds', '.spec.runPolicy.backoff.resetAfterSeconds',
      '.spec.runPolicy.startTimeoutSeconds',
      '.spec.runPolicy.nodeLoss', '.spec.runPolicy.nodeLoss.graceSeconds', '.spec.runPolicy.nodeLoss.leaseGraceSeconds', '.spec.runPolicy.nodeLoss.stuckPods',
      '.spec.runPolicy.nodeLoss.forceDeleteAfterSeconds',
      '.spec.runPolicy.nodeAvoidance', '.spec.runPolicy.nodeAvoidance.afterFailures', '.spec.runPolicy.nodeAvoidance.forSeconds',
      '.spec.runPolicy.cleanPodPolicy', '.spec.runPolicy.stall.action',
      '.spec.scheduling.gang.scheduleTimeoutSeconds', '.spec.scheduling.topology.mode', '.spec.scheduling.spread.maxSkew', '.spec.scheduling.spread.mode',
      '.spec.security.restricted', '.spec.security.networkPolicy.enabled', '.spec.security.networkPolicy.egress',
      '.spec.autoTuning.enabled', '.spec.autoTuning.parameters[].scale', '.spec.autoTuning.algorithm', '.spec.autoTuning.maxTrials', '.spec.autoTuning.parallelTrials', '.spec.autoTuning.goal',
      '.spec.autoTuning.keepTrials', '.spec.autoTuning.budget.min', '.spec.autoTuning.budget.reductionFactor',
      '.spec.autoTuning.earlyStopping.enabled', '.spec.autoTuning.earlyStopping.minTrials', '.spec.autoTuning.earlyStopping.minProgressPercentage',
      '.spec.array.keepJobs', '.spec.preflight.enabled', '.spec.preflight.timeoutSeconds',
      ...['before', 'after', 'onExit'].flatMap((hook) => [`.spec.hooks.${hook}.timeoutSeconds`, `.spec.hooks.${hook}.backoffLimit`]), '.spec.debug.enabled', '.spec.idle.action',
      '.spec.suspend', '.spec.managedBy',
    ]);
  });
});
