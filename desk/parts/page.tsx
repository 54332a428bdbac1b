import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Link } from "../app/router.tsx";

export interface PageProps {
  readonly title: string;
  /** The list that the page belongs to. */
  readonly parent?: { readonly href: string; readonly title: string };
  /** Beside the title. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

let isFirstPage = true;

/** One screen. After a navigation the focus is on its title, so that a screen reader reads it. */
export function Page({ title, parent, aside, children }: PageProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Binnacle`;
  }, [title]);
  return (
    <>
      <div class="page-head">
        <div>
          {parent !== undefined && (
            <nav aria-label="Above this page" class="crumb">
              <Link href={parent.href}>{parent.title}</Link>
            </nav>
          )}
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
        </div>
        {aside}
      </div>
      {children}
    </>
  );
}
