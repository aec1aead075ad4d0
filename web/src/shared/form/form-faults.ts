// What the server found wrong, put where it belongs: known fields into the form, the rest above it.
import type { FormInstance } from "antd";
import { createContext, useEffect, useRef, useState } from "react";
import type { Failure } from "@/shared/ui/failure";

type Path = string | (string | number)[];

/** The form's name of an API field, e.g. `cores` for `CPUPeriodQuota`. */
export type FormName = (apiName: string) => Path;

const sameName: FormName = (name) => (name.includes(".") ? name.split(".") : name);

interface Placed {
  here: { name: Path; errors: string[] }[];
  /** Faults that no field of the form stands for. */
  elsewhere: string[];
}

/** Sorts faults by whether the form has a field for them. */
export function placeFaults(
  error: Failure,
  hasField: (name: Path) => boolean,
  formName: FormName = sameName,
): Placed {
  const placed: Placed = { here: [], elsewhere: [] };
  for (const { name, message } of error.fields) {
    const path = formName(name);
    if (hasField(path)) placed.here.push({ name: path, errors: [message] });
    else placed.elsewhere.push(message);
  }
  if (placed.here.length === 0 && placed.elsewhere.length === 0) placed.elsewhere.push(error.message);
  return placed;
}

/** Tells a form's page that its faults have changed, from inside it. */
export const RecountFaults = createContext<() => void>(() => {});

/**
 * Shows a failed submit in the form: marks the fields, tells their number, focuses the first of them, and returns
 * what has no field. What the next answer no longer finds wrong is no longer marked.
 * The form instance lives outside React's rendering, hence the effect.
 */
export function useServerFaults(
  form: FormInstance,
  error: Failure | null,
  onFaults: (count: number) => void,
  formName?: FormName,
): readonly string[] {
  const [elsewhere, setElsewhere] = useState<readonly string[]>([]);
  const marked = useRef<Placed["here"]>([]);
  useEffect(() => {
    const outdated = marked.current.filter(
      ({ name, errors }) => form.getFieldError(name).join() === errors.join(),
    );
    marked.current = [];
    if (outdated.length > 0) {
      form.setFields(outdated.map(({ name }) => ({ name, errors: [] })));
      onFaults(countFaults(form));
    }
    if (!error) {
      setElsewhere([]);
      return;
    }
    const fields = form.getFieldsError().map((field) => JSON.stringify(field.name));
    const hasField = (name: Path) => fields.includes(JSON.stringify(Array.isArray(name) ? name : [name]));
    const placed = placeFaults(error, hasField, formName);
    form.setFields(placed.here);
    marked.current = placed.here;
    setElsewhere(placed.elsewhere);
    onFaults(countFaults(form));
    const first = placed.here[0];
    if (first) {
      form.scrollToField(first.name, { block: "center" });
      form.focusField(first.name);
    }
  }, [form, error, onFaults, formName]);
  return elsewhere;
}

/** How many fields of the form are marked as wrong at the moment. */
export function countFaults(form: FormInstance): number {
  return form.getFieldsError().filter((field) => field.errors.length > 0).length;
}
