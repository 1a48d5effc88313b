/**
 * A TensorBoard of Kubeflow, and the rules on it: its controller takes a path that it does not know for one on a claim called `tb-volume`, and waits
 * for it.
 * @see https://github.com/kubeflow/kubeflow/tree/master/components/tensorboard-controller
 */
import { checkBaseName } from '../names';
import { ViolationCollector, type Violation } from '../violations';

/** The service has a port `http-NAME`, whose name has at most 63 characters. */
export const TENSOR_BOARD_NAME_MAX_LENGTH = 58;

/** Places that the controller reads from. */
const FORMS: { readonly [scheme: string]: { readonly rest: RegExp; readonly form: string } } = {
  pvc: { rest: /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(\/[^\s]*)?$/, form: 'pvc://CLAIM/FOLDER' },
  gs: { rest: /^[^/\s]+(\/\S*)?$/, form: 'gs://BUCKET/FOLDER' },
  s3: { rest: /^[^/\s]+(\/\S*)?$/, form: 's3://BUCKET/FOLDER' },
};

export function validateTensorBoard(name: string, logsPath: string): Violation[] {
  const violations = new ViolationCollector();
  const because = `the port of its Service, http-NAME, has room for ${TENSOR_BOARD_NAME_MAX_LENGTH}`;
  checkBaseName(name, 'its Service has the same name', violations, { length: TENSOR_BOARD_NAME_MAX_LENGTH, because });
  const [, scheme = '', rest = ''] = /^([a-z0-9]+):\/\/(.*)$/.exec(logsPath) ?? [];
  const form = Object.hasOwn(FORMS, scheme) ? FORMS[scheme] : undefined;
  if (form === undefined) {
    violations.add('spec.logspath', logsPath, `the controller reads from ${Object.values(FORMS).map(({ form: known }) => known).join(', ')}. Copy the logs there.`);
  } else if (!form.rest.test(rest)) {
    violations.add('spec.logspath', logsPath, `does not have the form ${form.form}. Complete it.`);
  } else if (scheme === 'pvc' && rest.split('/').includes('..')) {
    violations.add('spec.logspath', logsPath, 'contains \'..\', and Kubernetes does not mount such a folder of a claim. Write the path out.');
  }
  return violations.violations;
}
