import type { FeatureComparison, FeatureOperator, FeatureTerm } from '../../model/gpu-operator/node-feature-rule';

/** A comparison with a feature of a node. */
export class FeatureValue {
  /** The element exists. */
  public static readonly EXISTS = new FeatureValue('Exists');
  /** The element does not exist. */
  public static readonly DOES_NOT_EXIST = new FeatureValue('DoesNotExist');
  /** The value is true. */
  public static readonly IS_TRUE = new FeatureValue('IsTrue');
  /** The value is false. */
  public static readonly IS_FALSE = new FeatureValue('IsFalse');

  /** The value is one of these. @param values at least one */
  public static isIn(...values: string[]): FeatureValue {
    return new FeatureValue('In', values);
  }

  /** The value is none of these. @param values at least one */
  public static notIn(...values: string[]): FeatureValue {
    return new FeatureValue('NotIn', values);
  }

  /** The value matches one of these expressions. @param expressions regular expressions */
  public static matches(...expressions: string[]): FeatureValue {
    return new FeatureValue('InRegexp', expressions);
  }

  /** The value is at least this. @param least whole number */
  public static atLeast(least: number): FeatureValue {
    return new FeatureValue('Ge', [String(least)]);
  }

  /** The value is at most this. @param most whole number */
  public static atMost(most: number): FeatureValue {
    return new FeatureValue('Le', [String(most)]);
  }

  /**
   * The value is between these, or equal to one of them.
   * @param least whole number
   * @param most whole number
   */
  public static between(least: number, most: number): FeatureValue {
    return new FeatureValue('GeLe', [String(least), String(most)]);
  }

  private constructor(private readonly op: FeatureOperator, private readonly values: readonly string[] = []) {}

  /** @internal */
  public _toSpec(): FeatureComparison {
    return { op: this.op, ...(this.values.length > 0 && { value: this.values }) };
  }
}

/** A condition on one feature of a node. */
export class FeatureMatch {
  /**
   * Compares elements of a feature.
   * @param feature such as `pci.device` or `kernel.version`
   * @param expressions comparisons by name of the element
   */
  public static of(feature: string, expressions: { [element: string]: FeatureValue }): FeatureMatch {
    const comparisons = Object.entries(expressions).map(([element, value]) => [element, value._toSpec()] as const);
    return new FeatureMatch({ feature, expressions: Object.fromEntries(comparisons) });
  }

  /**
   * Compares names of elements of a feature, such as loaded modules.
   * @param feature such as `kernel.loadedmodule`
   * @param name comparison that one of the names must satisfy
   */
  public static named(feature: string, name: FeatureValue): FeatureMatch {
    return new FeatureMatch({ feature, name: name._toSpec() });
  }

  /**
   * A PCI device, such as an NVIDIA GPU (vendor `10de`).
   * @param vendor id of the vendor, in hexadecimal digits
   * @param devices ids of devices @default - any device of the vendor
   */
  public static pciDevice(vendor: string, devices: string[] = []): FeatureMatch {
    return FeatureMatch.of('pci.device', { vendor: FeatureValue.isIn(vendor), ...(devices.length > 0 && { device: FeatureValue.isIn(...devices) }) });
  }

  private constructor(private readonly term: FeatureTerm) {}

  /** @internal */
  public _toSpec(): FeatureTerm {
    return this.term;
  }
}
