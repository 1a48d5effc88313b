/**
 * Rules on a program and what comes with it: those of spark-submit, which reads languages off file names and fetches nothing from the author's
 * machine.
 */
import type { SparkDependenciesSpec, SparkProgramSpec } from './spec';
import { ViolationCollector, didYouMean } from '../violations';

/** Schemes that Spark's images or common connectors read. `local` is a file in the image. */
const SCHEMES: readonly string[] = ['local', 'gs', 's3a', 'hdfs', 'abfs', 'abfss', 'wasbs', 'https', 'http', 'ftp', 'oss'];

/** Names of files by language; spark-submit knows Python and R by them. */
const ENDINGS: { readonly [type in SparkProgramSpec['type']]?: readonly string[] } = { Python: ['.py'], R: ['.R', '.r'] };

const COORDINATES = /^[^:\s/]+:[^:\s]+:[^:\s]+$/;
const EXCLUSION = /^[^:\s]+:[^:\s]+$/;

/** Checks a program. */
export function checkProgram({ type, file, mainClass }: SparkProgramSpec, violations: ViolationCollector): void {
  const path = 'spec.mainApplicationFile';
  checkUri(file, path, violations);
  const endings = ENDINGS[type];
  if (endings !== undefined && !endings.some((ending) => file.endsWith(ending))) {
    violations.add(path, file, `is started as a Java program: spark-submit recognizes a ${type} program by the extension ${endings[0]}. Rename the file.`);
  }
  if (endings === undefined && ['.py', '.R', '.r'].some((ending) => file.endsWith(ending))) {
    violations.add(path, file, `is started as a script, regardless of type (${type}). Use SparkProgram.python or SparkProgram.r.`);
  }
  if (endings === undefined && (mainClass ?? '') === '') {
    violations.add('spec.mainClass', mainClass, `is required for ${type}: spark-submit cannot inspect a jar that is not on its own disk.`);
  }
}

/** Checks what comes with it. */
export function checkDependencies(dependencies: SparkDependenciesSpec, violations: ViolationCollector): void {
  for (const field of ['jars', 'files', 'pyFiles', 'archives'] as const) {
    (dependencies[field] ?? []).forEach((uri, index) => checkUri(uri, `spec.deps.${field}[${index}]`, violations));
  }
  (dependencies.pyFiles ?? []).forEach((uri, index) => {
    if (!/\.(py|zip|egg|jar)$/.test(uri)) {
      violations.add(`spec.deps.pyFiles[${index}]`, uri, 'must end with .py, .zip, .egg or .jar: executors import only these. Use files for data.');
    }
  });
  (dependencies.packages ?? []).forEach((entry, index) => {
    if (!COORDINATES.test(entry)) {
      violations.add(`spec.deps.packages[${index}]`, entry, 'must be Maven coordinates, group:artifact:version.');
    }
  });
  (dependencies.excludePackages ?? []).forEach((entry, index) => {
    if (!EXCLUSION.test(entry)) {
      violations.add(`spec.deps.excludePackages[${index}]`, entry, 'must be group:artifact, without a version.');
    }
    if ((dependencies.packages ?? []).length === 0) {
      violations.add(`spec.deps.excludePackages[${index}]`, entry, 'excludes something from packages, but there are none. Remove it.');
    }
  });
  (dependencies.repositories ?? []).forEach((entry, index) => {
    if (!/^(https?|file|s3):\/\//.test(entry)) {
      violations.add(`spec.deps.repositories[${index}]`, entry, 'must be the URL of a Maven repository, such as https://repo.example.org/maven.');
    }
  });
}

function checkUri(uri: string, path: string, violations: ViolationCollector): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(uri)?.[1];
  const [before] = uri.split('#');
  if (scheme === 's3' || scheme === 's3n') {
    violations.add(path, uri, 'has no file system in Spark\'s images: Hadoop\'s is called s3a. Did you mean \'s3a://\'?');
  } else if (scheme === 'file' || scheme === undefined) {
    const inImage = before.startsWith('/') ? ` For a file in the image, write 'local://${before}'.` : '';
    violations.add(path, uri, `is looked up on the disk of the operator, where it does not exist.${inImage || ` Use a URI such as local:///opt/app/${before.replace(/^file:\/+/, '')} or gs://bucket/${before.replace(/^file:\/+/, '')}.`}`);
  } else if (scheme === 'local' && !uri.startsWith('local:///')) {
    violations.add(path, uri, 'has a host instead of a path. Write three slashes: local:///opt/app.');
  } else if (!SCHEMES.includes(scheme)) {
    const guess = didYouMean(scheme, SCHEMES);
    if (guess !== '') {
      violations.add(path, uri, `has a scheme that Spark does not support.${guess}`);
    }
  }
}
