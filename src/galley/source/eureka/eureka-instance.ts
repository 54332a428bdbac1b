import type { Issue } from "../../../config/issue.ts";

/** One registration, with the fields that a mesh needs. */
export interface EurekaInstance {
  /** The application name as the server writes it, in upper case. */
  readonly app: string;
  /** Unique within the application. */
  readonly id: string;
  readonly hostname: string;
  readonly address: string;
  /** The status that counts in the server's hash code. */
  readonly status: string;
  /** Whether requests may go to this instance: its status is UP, and no operator overrides it. */
  readonly inService: boolean;
  readonly port: EurekaPort | undefined;
  readonly securePort: EurekaPort | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface EurekaPort {
  readonly number: number;
  readonly enabled: boolean;
}

/** The answer of a server to a full or delta request. */
export interface EurekaListing {
  /** The number of instances per status after this listing. Undefined if the server does not send it. */
  readonly hashcode: string | undefined;
  readonly listed: readonly ListedInstance[];
  /** Read problems, by application. */
  readonly issues: ReadonlyMap<string, readonly Issue[]>;
}

export interface ListedInstance {
  readonly instance: EurekaInstance;
  readonly gone: boolean;
}
