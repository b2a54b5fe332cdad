using System;
using System.Threading.Tasks;

namespace Sync;

public class SyncService
{
    private readonly IStore _store;
    private bool _running;

    public SyncService(IStore store) => _store = store;

    // An event handler is the one place for async void.
    private async void OnClick(object sender, EventArgs e) => await StartAsync();

    public async Task StartAsync()
    {
        if (_running)
        {
            return;
        }
        _running = true;
        await _store.OpenAsync();
        foreach (var reading in await _store.ReadAsync())
        {
            if (double.IsNaN(reading.Value))
            {
                continue;
            }
            try
            {
                await _store.SaveAsync(reading);
            }
            catch (ConflictException) { /* somebody was faster */ }
        }
    }
}
