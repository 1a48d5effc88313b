import type { IResourceFlavor } from './flavor';

/**
 * A check that workloads pass after they have their quota: one that the program makes (`QueuedProvisioningCheck`, `MultiKueue`), or one that exists.
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
  /** Flavors that it is for. @default - all */
  readonly onFlavors?: IResourceFlavor[];
}
