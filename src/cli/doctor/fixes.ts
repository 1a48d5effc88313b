/** Shell commands that repair something. Names of objects are quoted. */
import { CATALOGUE, component } from '../../model/catalogue/catalogue';
import type { CatalogueComponent, ComponentPart } from '../../model/catalogue/types';
import { shellWord } from '../../model/variable-references';
import { OPERATOR_NAMESPACE } from '../../manifests/operator/settings';

export function command(...words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** A kubectl command in a namespace. */
export function kubectl(namespace: string | undefined, ...words: readonly string[]): string {
  return command('kubectl', ...(namespace === undefined ? [] : ['-n', namespace]), ...words);
}

/** Changes one field of an object. @param patch as JSON */
export function patch(namespace: string | undefined, kind: string, name: string, change: object): string {
  return kubectl(namespace, 'patch', kind, name, '--type', 'merge', '-p', JSON.stringify(change));
}

/** Creates an object, or changes it. */
export function apply(object: object): string {
  return `${command('printf', '%s', JSON.stringify(object))} | kubectl apply -f -`;
}

/** Options of the construct in the command. */
export interface OperatorInstall {
  readonly namespace?: string;
  readonly watchNamespaces?: readonly string[];
}

/** Installs the operator, or updates it to this version, in a project that has the packages trainyard and cdk8s. */
export function installOperator({ namespace = OPERATOR_NAMESPACE, watchNamespaces = [] }: OperatorInstall = {}): string {
  const props = { ...(namespace !== OPERATOR_NAMESPACE && { namespace }), ...(watchNamespaces.length > 0 && { watchNamespaces }) };
  const written = Object.keys(props).length === 0 ? '' : `,${JSON.stringify(props)}`;
  const program = 'const{App,Chart}=require("cdk8s"),{TrainingOperator}=require("trainyard"),app=new App();'
    + `new TrainingOperator(new Chart(app,"operator"),"TrainingOperator"${written});console.log(app.synthYaml())`;
  return `${command('node', '-e', program)} | kubectl apply --server-side --force-conflicts -f -`;
}

/** The component of a definition. @param definition `PLURAL.GROUP` */
export function componentOf(definition: string, version: string): CatalogueComponent | undefined {
  const found = CATALOGUE.filter(({ crds }) => crds.includes(definition));
  // Two systems have a kind MPIJob, in different versions.
  return found.find(({ name }) => (name === 'mpi-operator') === (version === 'v2beta1')) ?? found[0];
}

/** Installs a component, in the version that the catalogue pins. */
export function installComponent(wanted: CatalogueComponent): string {
  return wanted.name === 'training-operator' ? installOperator() : installParts(wanted);
}

export function install(name: string): string {
  return installComponent(component(name));
}

function installParts({ parts, namespace }: CatalogueComponent): string {
  return parts.flatMap((part) => installPart(part, part.namespace ?? namespace)).join(' && ');
}

function installPart({ name, source, values = {} }: ComponentPart, namespace: string): string[] {
  switch (source.kind) {
    case 'helm': {
      const { repository, chart, version } = source;
      const from = repository.startsWith('oci://') ? [`${repository}/${chart}`] : [chart, '--repo', repository];
      const settings = Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
      return [command('helm', 'upgrade', '--install', name, ...from, '--version', version, '--namespace', namespace, '--create-namespace', ...settings)];
    }
    case 'git': {
      const folder = `${source.repository}/${source.path}?ref=${source.revision}`;
      // Creating an existing namespace is an error, and applying it is not.
      return [`kubectl create namespace ${shellWord(namespace)} --dry-run=client -o yaml | kubectl apply -f -`, command('kubectl', 'apply', '--server-side', '-k', folder)];
    }
    case 'program': return [];
  }
}
