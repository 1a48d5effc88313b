import type { IResourceFlavor } from './flavor';

/**
 * A check that workloads must pass after they have their quota: `QueuedProvisioningCheck`, `MultiKueue`, or an existing one.
 */
export interface IAdmissionCheck {
  /** Name of the check. */
  readonly admissionCheckName: string;
}

/** An admission check that is created elsewhere. */
export class AdmissionCheck implements IAdmissionCheck {
  /** @param name name of the check */
  public static fromAdmissionCheckName(name: string): AdmissionCheck {
    return new AdmissionCheck(name);
  }

  public readonly admissionCheckName: string;

  private constructor(name: string) {
    this.admissionCheckName = name;
  }
}

/** A check of a queue. */
export interface AdmissionCheckUse {
  /** The check. */
  readonly check: IAdmissionCheck;
  /** Flavors to which it applies. @default - all */
  readonly onFlavors?: IResourceFlavor[];
}
