const app = document.getElementById('app');
app.contentEditable = 'true';
app.innerHTML = '<div>old words</div>';
globalThis.model = () => app.innerText.replace(/\n+/g, '\n').trim();
