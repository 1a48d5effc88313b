/** One of our programs that a construct installs: its bundle, its image, and its objects. */
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Construct } from 'constructs';
import { addManifest } from './objects';
import type { ResourceRequirements } from '../../manifests/kubernetes';
import type { ProgramCode } from '../../manifests/node-program';
import type { ProgramInstallation } from '../../manifests/program-deployment';
import { toleration } from '../training-job/pods/kubernetes-toleration';
import type { ComputeResources } from '../training-job/pods/resources';
import { LogLevel } from '../training-operator/log-level';
import type { ProgramProps } from '../training-operator/program-props';

/** Official Node.js image for the code. */
export const NODE_IMAGE = 'docker.io/library/node:22.21.1-alpine3.22';

/** Path of a bundle that `npm run bundle` writes and the package includes. */
export function bundleFile(name: string): string {
  return path.join(packageFolder(__dirname), 'assets', name);
}

/** The package of a folder: in the sources, this is a file of its own; in the package, it is part of `lib/index.js`. */
function packageFolder(folder: string): string {
  const above = path.dirname(folder);
  return above === folder || existsSync(path.join(folder, 'package.json')) ? folder : packageFolder(above);
}

/**
 * Reads a program's code as one ES module, compressed with brotli.
 * @param construct name of the construct that installs it
 * @param what the program, such as `the operator`
 * @throws Error if the file is missing
 */
export function readBundle(construct: string, what: string, file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
    throw new Error(`${construct}: ${what}'s code is missing: there is no ${path.basename(path.dirname(file))}/${path.basename(file)} `
      + 'in the package. In a clone of the repository, run: npm run bundle', { cause: error });
  }
}

/** @param where such as `TrainingOperator at 'chart/Operator'` @param what the program @throws Error if both images are set */
export function checkImages(where: string, what: string, { image, nodeImage }: ProgramProps): void {
  if (image !== undefined && nodeImage !== undefined) {
    throw new Error(`${where}: sets both 'image' (${image}), which contains ${what}'s code, and 'nodeImage' (${nodeImage}), which runs the code in `
      + 'ConfigMaps. Remove one of the two.');
  }
}

/** Installation settings of a program's pods. Adds the ConfigMaps with its code, unless an image contains it. */
export function programInstallation(
  scope: Construct, namespace: string, props: ProgramProps, standard: ResourceRequirements, readCode: () => ProgramCode,
): ProgramInstallation {
  const code = props.image === undefined ? readCode() : undefined;
  code?.configMaps.forEach((configMap, part) => addManifest(scope, `Code-${part}`, configMap));
  return {
    namespace,
    image: props.image ?? props.nodeImage ?? NODE_IMAGE,
    code: code && { configMapNames: code.configMaps.map(({ metadata }) => metadata.name), hash: code.hash },
    logLevel: props.logLevel ?? LogLevel.INFO,
    resources: resourceRequirements(props.resources ?? {}, standard),
    nodeSelector: props.nodeSelector,
    tolerations: props.tolerations?.map(toleration),
    priorityClassName: props.priorityClassName,
  };
}

/** Requests and limits of a container. @param standard defaults of resources that are not given */
function resourceRequirements({ cpu, memory, ephemeralStorage }: ComputeResources, standard: ResourceRequirements): ResourceRequirements {
  const given = Object.fromEntries(Object.entries({
    'cpu': cpu?.amount, 'memory': memory?.asString(), 'ephemeral-storage': ephemeralStorage?.asString(),
  }).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return { requests: { ...standard.requests, ...given }, limits: { ...standard.limits, ...given } };
}
