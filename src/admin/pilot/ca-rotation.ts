import { MeshError } from "../../lib/errors.ts";
import { json, type Route, text } from "../route.ts";

/** A certificate as the page shows it. */
export interface CertificateReport {
  readonly subject: string;
  /** SHA-256, in hexadecimal. */
  readonly fingerprint: string;
  readonly notBefore: string;
  readonly notAfter: string;
}

/** The state of a root rotation. It contains no key. */
export interface RotationReport {
  /** Of the root rotation: `steady`, `distribute`, `sign` or `retire`. */
  readonly phase: string;
  readonly phaseSince: string;
  /** When the next phase begins; undefined in `steady`. */
  readonly phaseEnds: string | undefined;
  /** Whether certificates can be signed: the store of the roots was readable a short time ago. */
  readonly signs: boolean;
  /** The certificate that signs, and those above it. */
  readonly signing: readonly CertificateReport[];
  /** The certificate that will sign in the phase `sign`. */
  readonly next: CertificateReport | undefined;
  readonly trusted: readonly CertificateReport[];
}

export const rotationCommands = ["rotate", "advance", "cancel"] as const;
type RotationWord = (typeof rotationCommands)[number];

export interface RotationPageOptions {
  readonly report: () => RotationReport | undefined;
  /** Rejects with a `MeshError` that tells why the command is refused. */
  readonly carryOut: (command: RotationWord) => Promise<void>;
}

/** The root rotation of the certificate authority. */
export function rotationPage({ report, carryOut }: RotationPageOptions): Route {
  const state = () => {
    const known = report();
    return known === undefined ? text("the certificate authority has not started", 503) : json(known);
  };
  return {
    path: "/debug/ca/rotation",
    doc: "root rotation of the certificate authority: phase, signing certificate, trusted roots; POST command=rotate, command=advance or command=cancel",
    answer: state,
    change: {
      method: "POST",
      async apply(body) {
        const word = new URLSearchParams(body.trim()).get("command");
        const command = rotationCommands.find((known) => known === word);
        if (command === undefined) return text(`expected command=${rotationCommands.join(", command=")}`, 400);
        try {
          await carryOut(command);
          return state();
        } catch (thrown) {
          const { code, message } = MeshError.from(thrown);
          return text(message, code === "bad-option" ? 409 : 503);
        }
      },
    },
  };
}
