// Images for a message: chosen, pasted or dropped, shown small, each with a button that takes it away again.
// Upgrades: [data-attach], [data-attached] and the file input of a composer. Listens to: the input, paste and drop.
// Sends: nothing; the form carries the files of its input.

const VIEW_PX = 80;

export class Attachments {
  #form;
  #input;
  #list;
  #template;
  #say;
  #files = [];

  constructor(form, say) {
    this.#form = form;
    this.#input = form.elements.images;
    this.#list = form.querySelector("[data-attached]");
    this.#template = form.querySelector("[data-attached-template]");
    this.#say = say;
    form.querySelector("[data-attach]").addEventListener("click", () => this.#input.click());
    this.#input.addEventListener("change", () => this.#add([...this.#input.files]));
    form.addEventListener("paste", (event) => this.#paste(event));
    // A file that misses the box must not take the place of the page.
    document.addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
    document.addEventListener("drop", (event) => this.#drop(event));
  }

  get all() {
    return this.#files;
  }

  remove(files) {
    this.#show(this.#files.filter((file) => !files.includes(file)));
  }

  #paste(event) {
    const { files, types } = event.clipboardData;
    // What office programs copy is text with a picture of it.
    if (!files.length || types.includes("text/plain")) return;
    event.preventDefault();
    this.#add([...files]);
  }

  #drop(event) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    this.#add([...event.dataTransfer.files]);
  }

  #add(more) {
    const problem = this.#problemWith(more);
    this.#show(problem ? this.#files : [...this.#files, ...more]);
    this.#say(problem);
  }

  #problemWith(more) {
    const { mostImages, mostBytes } = this.#form.dataset;
    const kinds = this.#input.accept.split(",");
    const other = more.find((file) => !kinds.includes(file.type));
    if (other) return `${other.name} is no PNG, JPEG, GIF or WebP image. Convert it, or leave it out.`;
    const all = [...this.#files, ...more];
    if (all.length > Number(mostImages)) return `At most ${mostImages} images fit. Send some with a second message.`;
    if (all.reduce((sum, file) => sum + file.size, 0) > Number(mostBytes)) {
      return `Images of at most ${Number(mostBytes) / 2 ** 20} MB together fit. Make them smaller, or leave some out.`;
    }
    return "";
  }

  #show(files) {
    const carrier = new DataTransfer();
    for (const file of files) carrier.items.add(file);
    this.#input.files = carrier.files;
    if (files === this.#files) return;
    const old = new Map(this.#files.map((file, index) => [file, this.#list.children[index]]));
    this.#files = files;
    this.#list.replaceChildren(...files.map((file) => old.get(file) ?? this.#line(file)));
    this.#list.hidden = !files.length;
  }

  #line(file) {
    const line = this.#template.content.firstElementChild.cloneNode(true);
    line.querySelector(".attached__name").textContent = file.name;
    const button = line.querySelector("button");
    button.setAttribute("aria-label", `Remove ${file.name}`);
    button.addEventListener("click", () => {
      this.remove([file]);
      // What was wrong may have been this image.
      this.#say("");
      this.#form.elements.message.focus();
    });
    draw(file, line.querySelector("canvas"));
    return line;
  }
}

function carriesFiles(event) {
  return event.dataTransfer.types.includes("Files");
}

// A broken image shows its name alone; the server says what is wrong with it.
async function draw(file, canvas) {
  const image = await createImageBitmap(file).catch(() => null);
  if (!image) return;
  const scale = Math.min(1, (VIEW_PX * devicePixelRatio) / Math.max(image.width, image.height));
  canvas.width = Math.max(1, image.width * scale);
  canvas.height = Math.max(1, image.height * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
}
