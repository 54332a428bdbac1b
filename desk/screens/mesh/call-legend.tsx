import type { JSX } from "preact";
import type { CallVerdict } from "../../../src/desk/api/model/mesh.ts";
import { Status } from "../../parts/status.tsx";
import { verdictTones } from "./call-words.ts";

const words: readonly (readonly [CallVerdict, string])[] = [
  ["allowed", "allowed"],
  ["depends", "depends, or differs between services"],
  ["denied", "denied"],
];

/** The lines of the graph and the icons of the table. */
export function CallLegend(): JSX.Element {
  return (
    <ul class="counts inline legend">
      {words.map(([verdict, word]) => (
        <li key={verdict}>
          <svg viewBox="0 0 28 8" class="sample" aria-hidden="true">
            <path class={`edge ${verdict}`} d="M1 4H27" />
          </svg>
          <Status tone={verdictTones[verdict]}>{word}</Status>
        </li>
      ))}
    </ul>
  );
}
