import type { ConfigId } from "../../../config/config.ts";
import type { ProxyClass } from "../../model/proxy/proxy-class.ts";
import type { Refusal } from "./refusals.ts";

/** Events of the quarantine, for the log and metrics. */
export interface QuarantineObserver {
  /** A class of proxies refuses an object from now on. */
  objectQuarantined(refusal: Refusal, proxies: ProxyClass): void;
  /** The class gets the object again: it accepted a new version, or the object is gone. */
  objectReleased(id: ConfigId, proxies: ProxyClass): void;
  /** A search on one proxy has ended. */
  searchEnded(search: FinishedSearch): void;
  /** A search ended with a bug. */
  searchFailed(cause: Error): void;
}

/** A finished search. */
export interface FinishedSearch {
  readonly node: string;
  readonly proxies: ProxyClass;
  readonly suspects: number;
  readonly probes: number;
  readonly offenders: number;
  /** True if the cause of the rejection was not found. */
  readonly inconclusive: boolean;
}
