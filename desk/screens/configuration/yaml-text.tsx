import type { JSX } from "preact";
import type { ObjectMessage } from "../../../src/desk/api/model/configuration.ts";
import { Status } from "../../parts/status.tsx";

export interface YamlTextProps {
  readonly yaml: string;
  /** The line of the file at which the text begins. */
  readonly firstLine: number;
  readonly messages: readonly ObjectMessage[];
}

/** The text with the line numbers of its file. Issues stand below their line; those without a line come first. */
export function YamlText({ yaml, firstLine, messages }: YamlTextProps): JSX.Element {
  const lines = yaml.replace(/\n$/u, "").split("\n");
  const lastLine = firstLine + lines.length - 1;
  const isInside = ({ line }: ObjectMessage) => line !== undefined && line >= firstLine && line <= lastLine;
  return (
    <div class="yaml" role="group" aria-label="Text of the object" tabIndex={0}>
      {messages
        .filter((message) => !isInside(message))
        .map((message) => (
          <Note key={`${message.code} ${message.path} ${message.text}`} message={message} />
        ))}
      {lines.map((text, index) => {
        const number = firstLine + index;
        const notes = messages.filter(({ line }) => line === number);
        return (
          <div key={number} class={notes.length > 0 ? "line marked" : "line"}>
            <span class="number" aria-hidden="true">
              {number}
            </span>
            <code>{text === "" ? " " : text}</code>
            {notes.map((message) => (
              <Note key={`${message.code} ${message.path} ${message.text}`} message={message} />
            ))}
          </div>
        );
      })}
    </div>
  );
}

function Note({ message: { severity, code, text, path } }: { readonly message: ObjectMessage }): JSX.Element {
  return (
    <p class="note">
      <Status tone={severity}>
        {text} <span class="hint">{path === "" ? code : `${path} · ${code}`}</span>
      </Status>
    </p>
  );
}
