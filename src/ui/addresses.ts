/** Addresses of pages. */

/** Of a job's page. */
export function jobAddress({ namespace, kind, group, name }: { readonly [part in 'namespace' | 'kind' | 'group' | 'name']: string }): string {
  return `#/job/${[namespace, `${kind.toLowerCase()}.${group}`, name].map(encodeURIComponent).join('/')}`;
}
