/**
 * Makes pictures fit for a model: decoded, scaled down, and encoded anew, so that nothing of the file but its pixels
 * goes on: no place where a photograph was taken, no hidden text.
 */

/** Larger files are not opened, in bytes. */
const MOST_OF_FILE = 30_000_000;
/** Up to this size PNG is taken, which keeps letters sharp, in bytes. */
const MOST_OF_PNG = 1_000_000;

/**
 * @param {Blob} file
 * @param {number} longestEdge In pixels; larger pictures are made smaller.
 * @param {number} mostBytes Of the result.
 * @param {{ x: number, y: number, width: number, height: number }} [part] The part to take, in fractions of the picture.
 * @returns {Promise<{ mediaType: string, width: number, height: number, data: string }>} `data` in base64
 * @throws If it is no picture that the browser can decode, or is too large.
 */
export async function fitPicture(file, longestEdge, mostBytes, part) {
  if (file.size > MOST_OF_FILE) throw new RangeError('the file is too large');
  const whole = await createImageBitmap(file);
  try {
    const { x, y, width, height } = {
      x: (part?.x ?? 0) * whole.width,
      y: (part?.y ?? 0) * whole.height,
      width: (part?.width ?? 1) * whole.width,
      height: (part?.height ?? 1) * whole.height,
    };
    const scale = Math.min(1, longestEdge / Math.max(width, height));
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    const draw = () => context.drawImage(whole, x, y, width, height, 0, 0, canvas.width, canvas.height);
    draw();
    let blob = await canvas.convertToBlob({ type: 'image/png' });
    if (blob.size > MOST_OF_PNG) {
      // JPEG knows no transparency: what is transparent becomes white, not black.
      context.fillStyle = 'white';
      context.fillRect(0, 0, canvas.width, canvas.height);
      draw();
      blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
    }
    if (blob.size > mostBytes) throw new RangeError('the picture is too large');
    return { mediaType: blob.type, width: canvas.width, height: canvas.height, data: await base64(blob) };
  } finally {
    whole.close();
  }
}

/** @param {Blob} blob */
function base64(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}
