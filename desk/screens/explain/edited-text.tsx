import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ConfigurationListing, ObjectDetail } from "../../../src/desk/api/model/configuration.ts";
import { type ApiFailure, ask } from "../../app/api.ts";
import { pathTo } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Status } from "../../parts/status.tsx";
import type { Question } from "./question.ts";

export interface EditedTextProps {
  /** The id of an object to begin with: `Kind/namespace/name`. */
  readonly edit: string;
  readonly text: string;
  readonly onChange: (changes: Partial<Pick<Question, "edit" | "whatIf">>) => void;
}

/** A copy of one object or more, to ask what an edit would do. Nothing is applied. */
export function EditedText({ edit, text, onChange }: EditedTextProps): JSX.Element {
  const [failure, setFailure] = useState<ApiFailure>();
  const [open, setOpen] = useState(edit !== "" || text !== "");
  const latest = useRef(text);
  latest.current = text;
  const copy = async (id: string) => {
    const [kind = "", namespace = "", name = ""] = id.split("/");
    const answer = await ask<ObjectDetail>(pathTo("configuration", kind, namespace || "-", name));
    if (answer.type === "failure") return setFailure(answer.failure);
    setFailure(undefined);
    const before = latest.current.trim();
    onChange({ edit: id, whatIf: before === "" ? answer.value.yaml : `${before}\n---\n${answer.value.yaml}` });
  };
  useEffect(() => {
    // A link from an object begins with its text.
    if (edit !== "" && text === "") void copy(edit);
  }, []);
  return (
    <details class="more" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What if: try an edit, without applying it</summary>
      {open && <ObjectField onCopy={(id) => void copy(id)} />}
      {failure !== undefined && <Status tone="error">{failure.message}</Status>}
      <label class="field">
        Edited objects, as YAML. Several are separated by ---
        <textarea
          class="mono"
          rows={Math.min(24, Math.max(6, text.split("\n").length + 1))}
          value={text}
          onInput={({ currentTarget }) => onChange({ whatIf: currentTarget.value })}
          spellcheck={false}
        />
      </label>
    </details>
  );
}

/** Finds an object, and copies its text into the editor. */
function ObjectField({ onCopy }: { readonly onCopy: (id: string) => void }): JSX.Element {
  const [text, setText] = useState("");
  const id = useId();
  const { loaded } = useApi<ConfigurationListing>(`/configuration?limit=20&search=${encodeURIComponent(text)}`);
  const items = loaded.type === "ready" ? loaded.value.items : [];
  const isKnown = items.some((object) => object.id === text);
  return (
    <div class="filters">
      <label class="field grow">
        Copy an object into the text
        <input
          list={id}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          placeholder="type a part of its name"
          spellcheck={false}
          autocomplete="off"
        />
        <datalist id={id}>
          {items.map((object) => (
            <option key={object.id} value={object.id} />
          ))}
        </datalist>
      </label>
      <button type="button" disabled={!isKnown} onClick={() => onCopy(text)}>
        Copy
      </button>
    </div>
  );
}
