/** A reference that leads nowhere, with what is missing. */
export const Broken = ({ written, why }: { written: string; why: string }) => (
  <span className="ref broken" title={why}>
    {written}
    <span className="vh"> (broken: {why})</span>
  </span>
)
