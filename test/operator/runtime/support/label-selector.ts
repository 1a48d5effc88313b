/**
 * Label selectors in their string form, as the `labelSelector` parameter of the API takes them:
 * `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (x,y)`, `a notin (x,y)`, joined by commas. All parts must hold.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */

/** Decides whether labels match. */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

const SET_REQUIREMENT = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/;
const EQUALITY_REQUIREMENT = /^([^\s!=]+)\s*(==|=|!=)\s*(\S*)$/;
const EXISTENCE_REQUIREMENT = /^(!?)\s*([^\s!=(),]+)$/;

/** Compiles a selector; an empty or absent one matches everything. Throws on what is not a selector, naming the part. */
export function compileLabelSelector(selector: string | undefined): LabelMatcher {
  const requirements = splitRequirements(selector ?? '').map((part) => parseRequirement(part, selector!));
  return (labels) => requirements.every((holds) => holds(labels ?? {}));
}

function splitRequirements(selector: string): string[] {
  // Commas inside parentheses separate values, the others separate requirements.
  const parts: string[] = [''];
  let inside = false;
  for (const character of selector) {
    inside = character === '(' || (inside && character !== ')');
    if (character === ',' && !inside) {
      parts.push('');
    } else {
      parts[parts.length - 1] += character;
    }
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function parseRequirement(part: string, selector: string): Requirement {
  const set = SET_REQUIREMENT.exec(part);
  if (set) {
    const [, key, operator, list] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    // As in Kubernetes, an absent label satisfies notin (and !=).
    return operator === 'in' ? (labels) => key in labels && values.has(labels[key]) : (labels) => !values.has(labels[key]);
  }
  const equality = EQUALITY_REQUIREMENT.exec(part);
  if (equality) {
    const [, key, operator, value] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const existence = EXISTENCE_REQUIREMENT.exec(part);
  if (existence) {
    const [, not, key] = existence;
    return (labels) => key in labels !== (not === '!');
  }
  throw new Error(`Reading label selector "${selector}": "${part}" is not one of k, !k, k=v, k!=v, k in (v,...), k notin (v,...).`);
}
