/** Whether the definitions of the kinds exist, in the right version, and work. */
import type { Check, Fault } from '../finding';
import { componentOf, install, installComponent, kubectl } from '../fixes';
import { foundIn, serviceFault, type ClusterSnapshot, type KindFacts } from '../snapshot';
import { conditionOf } from '../../explain/job/facts';
import type { AnyObject } from '../../jobs/objects';
import { count, listed } from '../../text';
import { constructTrainingJobCrd } from '../../../manifests/mltrainingjob-crd';
import { isRecord, record, records, type JsonRecord } from '../../../model/json-parts';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import { groupOf } from '../../../model/objects/builtin-kinds';

export const DEFINITIONS: Check = {
  topic: 'definitions',
  run: (snapshot) => {
    const kinds = snapshot.kinds.filter(({ definition, isServed }) => definition !== undefined || !isServed);
    const names = [...new Set(kinds.map(({ kind }) => kind))];
    return {
      faults: kinds.flatMap((kind) => kindFaults(snapshot, kind)),
      ...(names.length > 0 && { passed: `The cluster has the definitions of ${listed(names, 10)}.` }),
    };
  },
};

function kindFaults(snapshot: ClusterSnapshot, facts: KindFacts): Fault[] {
  const { kind, apiVersion, isServed, servedVersions, conversion } = facts;
  const definition = foundIn(facts.definition ?? 'missing');
  const broken = definition === undefined ? [] : brokenDefinition(definition);
  if (broken.length > 0) {
    return broken;
  }
  if (!isServed) {
    const isAbsent = facts.definition === 'missing' || servedVersions.length === 0 || servedVersions.includes(apiVersion.split('/').at(-1)!);
    return [definition === undefined && isAbsent ? missing(facts) : otherVersion(facts, definition)];
  }
  return [
    ...(kind === TRAINING_JOB_KIND && definition !== undefined ? schemaFaults(snapshot, definition) : []),
    ...(conversion === undefined ? [] : [serviceFault(conversion)].flatMap((why) => (why === undefined ? [] : [{
      id: 'ConversionWebhookDown' as const, severity: 'error' as const,
      what: `Objects of ${kind} cannot be read or created: the webhook that converts ${apiVersion} does not work.`, evidence: [why],
      fix: kubectl(conversion.namespace, 'get', 'service,endpointslices,pods'),
    }]))),
  ];
}

function missing({ kind, apiVersion, plural, servedVersions }: KindFacts): Fault {
  const group = groupOf(apiVersion);
  const { title, fix } = installKind(apiVersion, plural);
  return {
    id: 'DefinitionMissing', severity: 'error', what: `The cluster has no ${kind} of ${apiVersion}. Install ${title}.`,
    evidence: [servedVersions.length === 0 ? `The API server does not serve ${group}.` : `The API server serves ${group}, without this kind.`], fix,
  };
}

/** The command that installs the component of a kind, or lists the kinds of its group. */
function installKind(apiVersion: string, plural: string | undefined): { readonly title: string; readonly fix: string } {
  const group = groupOf(apiVersion);
  const source = plural === undefined ? undefined : componentOf(`${plural}.${group}`, apiVersion.split('/').at(-1)!);
  return source === undefined ? { title: 'its definition', fix: kubectl(undefined, 'api-resources', '--api-group', group) }
    : { title: source.title, fix: installComponent(source) };
}

function otherVersion({ kind, apiVersion, plural, servedVersions }: KindFacts, definition: AnyObject | undefined): Fault {
  const ofDefinition = records(definition?.spec?.versions).filter(({ served }) => served === true).map(({ name }) => String(name));
  const versions = definition === undefined ? servedVersions : ofDefinition;
  const group = groupOf(apiVersion);
  return {
    id: 'VersionNotServed', severity: 'error',
    what: `The cluster does not serve ${kind} in ${apiVersion}. Update what brings it, or write the object in a version that is served.`,
    evidence: [versions.length === 0 ? `No version of ${group} is served.` : `Versions of ${group} that are served: ${listed(versions, 5)}.`],
    fix: installKind(apiVersion, plural).fix,
  };
}

function brokenDefinition(definition: AnyObject): Fault[] {
  const name = definition.metadata?.name ?? '';
  const [refused, established] = ['NamesAccepted', 'Established'].map((type) => conditionOf(definition, type)).map((condition) => (condition?.status === 'False' ? condition : undefined));
  const show = kubectl(undefined, 'get', 'crd', '-o', 'custom-columns=NAME:.metadata.name,GROUP:.spec.group,KIND:.spec.names.kind,SHORT:.spec.names.shortNames');
  if (refused !== undefined) {
    return [{
      id: 'DefinitionNamesRefused', severity: 'error', what: `The names of the definition ${name} are in use by another definition. Delete the one that is not needed.`,
      evidence: [`${refused.reason}: ${refused.message}`], fix: show,
    }];
  }
  return established === undefined ? [] : [{
    id: 'DefinitionNotEstablished', severity: 'error', what: `The definition ${name} is not served yet.`,
    evidence: [`${established.reason}: ${established.message}`], fix: kubectl(undefined, 'wait', '--for=condition=Established', `crd/${name}`, '--timeout=60s'),
  }];
}

function schemaFaults({ program }: ClusterSnapshot, definition: AnyObject): Fault[] {
  const [own, live] = [constructTrainingJobCrd().spec, definition.spec].map((spec) => {
    const [version] = records(spec?.versions).filter(({ served }) => served === true);
    return new Set(fieldsOf(record(record(version as JsonRecord | undefined).schema).openAPIV3Schema, ''));
  });
  const missingFields = [...own].filter((field) => !live.has(field));
  const furtherFields = [...live].filter((field) => !own.has(field));
  const used = (program?.objects ?? []).filter(({ kind }) => kind === TRAINING_JOB_KIND).flatMap((object) => missingFields.filter((field) => hasField(object, field.split('.'))));
  const update = install('training-operator');
  if (missingFields.length > 0) {
    return [{
      id: 'DefinitionOlder', severity: used.length > 0 ? 'error' : 'warning',
      what: `The definition of ${TRAINING_JOB_KIND} is older than this version of trainyard: ${used.length > 0 ? 'jobs of this program use fields that it lacks, and would be refused' : `it lacks ${count(missingFields.length, 'field')}`}. Update the operator.`,
      evidence: [`Missing: ${listed(used.length > 0 ? [...new Set(used)] : missingFields, 5)}.`], fix: update,
    }];
  }
  return furtherFields.length === 0 ? [] : [{
    id: 'DefinitionNewer', severity: 'warning',
    what: `The definition of ${TRAINING_JOB_KIND} is newer than this version of trainyard, which does not know ${furtherFields.length} of its fields. Update trainyard.`,
    evidence: [`Unknown here: ${listed(furtherFields, 5)}.`], fix: 'npm install trainyard@latest',
  }];
}

/** Paths of all fields of a schema; items of lists and maps under the name of the list. */
function fieldsOf(schema: unknown, path: string): string[] {
  const { properties, items, additionalProperties } = record(schema);
  const inner = Object.entries(record(properties)).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...fieldsOf(field, at)];
  });
  return [...inner, ...[items, additionalProperties].filter(isRecord).flatMap((below) => fieldsOf(below, path))];
}

function hasField(value: unknown, [field, ...rest]: readonly string[]): boolean {
  if (Array.isArray(value)) {
    return value.some((item) => hasField(item, [field, ...rest]));
  }
  const inner = isRecord(value) && Object.hasOwn(value, field) ? value[field] : undefined;
  return inner !== undefined && (rest.length === 0 || hasField(inner, rest));
}
