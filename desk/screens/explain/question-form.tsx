import type { JSX } from "preact";
import type { ProxyListing } from "../../../src/desk/api/model/proxies.ts";
import { useApi } from "../../app/use-api.ts";
import type { Question } from "./question.ts";

export interface QuestionFormProps {
  readonly question: Question;
  readonly onChange: (question: Question) => void;
  readonly onSubmit: () => void;
  readonly busy: boolean;
}

/** The request, as its sender would write it. */
export function QuestionForm({ question, onChange, onSubmit, busy }: QuestionFormProps): JSX.Element {
  const set = (name: keyof Question) => (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange({ ...question, [name]: event.currentTarget.value });
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form class="card question" onSubmit={submit}>
      <label class="field grow">
        Proxy
        <input list="nodes" required value={question.node} onInput={set("node")} placeholder="node id" />
        <Nodes search={question.node} />
      </label>
      <label class="field">
        The request comes from
        <select value={question.from} onChange={set("from")}>
          <option value="client">the workload beside the proxy</option>
          <option value="network">the network</option>
        </select>
      </label>
      <label class="field">
        Method
        <input value={question.method} onInput={set("method")} required size={8} />
      </label>
      <label class="field grow">
        URL
        <input value={question.url} onInput={set("url")} required pattern="(https?|tcp)://.+" />
      </label>
      <details class="more">
        <summary>Headers, identity of the client, what if</summary>
        <label class="field">
          Headers, one per line
          <textarea rows={2} value={question.headers} onInput={set("headers")} placeholder="end-user: jason" />
        </label>
        <label class="field">
          IP address of the client
          <input value={question.source} onInput={set("source")} />
        </label>
        <label class="field">
          SPIFFE id of the client, with mutual TLS
          <input value={question.identity} onInput={set("identity")} />
        </label>
        <label class="field">
          What if: changed objects as YAML. They are used for this answer only
          <textarea rows={6} value={question.whatIf} onInput={set("whatIf")} spellcheck={false} />
        </label>
      </details>
      <button type="submit" class="primary" disabled={busy}>
        Explain
      </button>
    </form>
  );
}

/** Suggests proxies that match the typed text. */
function Nodes({ search }: { readonly search: string }): JSX.Element {
  const { loaded } = useApi<ProxyListing>(`/proxies?limit=20&search=${encodeURIComponent(search)}`);
  const items = loaded.type === "ready" ? loaded.value.items : [];
  return (
    <datalist id="nodes">
      {items.map(({ node, name }) => (
        <option key={node} value={node}>
          {name}
        </option>
      ))}
    </datalist>
  );
}
